def is_id: type == "string" and test("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$");

# What to ask a list for, to find the row whose id or name is the input: as
# many rows as tell that more share a name than a refusal lists.
def named:
  (if is_id then { id: . } else { name: . } end) + { limit: 11 };

# A row of several that share a name. A refusal passes no output schema, so what
# it shows is looked at here.
def candidate:
  "\(.id | if is_id then . else "?" end) (\(.status | if IN("Active", "Depleted", "Retired") then . else "?" end))";

def flock_id:
  find_one(get("/api/flocks"; named); .id; .name; "flock"; candidate; "cluckwork_list_flocks lists them").id;

def grade_id:
  find_one(get("/api/egg-grades"; named); .id; .name; "egg grade"; candidate; "cluckwork_read_stock lists them").id;

# The arguments as the API takes them, with ids in place of names.
def by_id:
  $args
  | if .flock then .flockId = (.flock | flock_id) end
  | if .grade then .gradeId = (.grade | grade_id) end
  | del(.flock, .grade);
