# What to ask a list for, to find the row whose id or name is the input: as
# many rows as tell that more share a name than a refusal lists.
def named:
  (if test("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$") then { id: . } else { name: . } end) + { limit: 11 };

def flock_id:
  find_one(get("/api/flocks"; named); .id; .name; "flock"; "\(.id) (\(.status))"; "cluckwork_list_flocks lists them").id;

def grade_id:
  find_one(get("/api/egg-grades"; named); .id; .name; "egg grade"; "\(.id) (\(.status))"; "cluckwork_read_stock lists them").id;

# The arguments as the API takes them, with ids in place of names.
def by_id:
  $args
  | if .flock then .flockId = (.flock | flock_id) end
  | if .grade then .gradeId = (.grade | grade_id) end
  | del(.flock, .grade);
