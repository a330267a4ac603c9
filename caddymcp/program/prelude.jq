# attempt runs f and gives {ok: true, value} or, if a request failed or the
# program refused, {ok: false, error: {status, message, body, kind}}. A mistake
# in the program, such as adding a number to an object, is not caught.
def attempt(f):
  try {ok: true, value: f} catch {ok: false, error: _caught};

# rescue runs f. If it fails and when holds for the error, handle takes its
# place; both get the error as their input. Other errors are passed on.
def rescue(f; when; handle):
  try f catch (_caught | if when then handle else _error end);

# annotate runs f. If it fails, the error's message becomes text, which gets
# the error as its input; status and body stay.
def annotate(f; text):
  try f catch (_caught | .message = text | _error);

# check gives its input if cond holds, and refuses with text otherwise.
def check(cond; text):
  if cond then . else _error(text) end;

# pages reads page after page: fetch gets the page's number, from 1, as its
# input, and items gives the array of rows of what it returns. It ends
#   - with an empty page, or after the first page with a 404,
#   - at the number of rows that the API reports as total or count,
#   - at the number of pages, counted from 1, that it reports as pages,
#     total_pages, last_page or page_count,
#   - where next is null,
#   - once there are $cap rows.
# The value is {items, complete, total}: complete is false if there may be
# more, and total is null if it is unknown. A reply without an array of rows
# is an error.
def pages(fetch; items; $cap):
  def more:
    .page as $page
    | (try {reply: ($page | fetch)}
        catch (_caught | if $page > 1 and .status == 404 then null else _error end)) as $read
    | if $read == null then .complete = true
      else
        $read.reply as $reply
        | ($reply | items | _rows) as $rows
        | ($reply | if type == "object" then . else {} end) as $about
        | ([$about | .total // .count | numbers] | first) as $total
        | ([$about | .pages, .total_pages, .last_page, .page_count | numbers] | first) as $last
        | .page += 1
        | .items += $rows
        | .total = $total
        | if $rows == [] or ($total != null and (.items | length) >= $total)
            or ($last != null and $page >= $last)
            or ($about | has("next") and .next == null)
          then .complete = true
          elif (.items | length) >= $cap then .
          else more end
      end;
  {page: 1, items: [], complete: false, total: null}
  | more
  | if (.items | length) > $cap then .items |= .[:$cap] | .complete = false else . end
  | if .complete and .total == null then .total = (.items | length) else . end
  | {items, complete, total};

# page reads one page of $limit rows after the first $offset: fetch gets
# {limit, offset} as its input, which ask for one row more than the page has,
# and gives an array of rows. The value is {items, complete}, and nextOffset if
# there are more. Where the next offset would be beyond 2147483647, nothing is
# read and the call is refused.
def page(fetch; $limit; $offset):
  if [$limit, $offset] | all(type == "number") | not then _bug("page: the limit or the offset is not a number")
  elif $limit < 1 then _error("a page has at least 1 row, not \($limit)")
  elif $offset < 0 then _error("there is no offset \($offset)")
  elif $offset + $limit > 2147483647 then
    _error("the rows after offset \($offset) cannot be numbered: narrow the request")
  else
    ({limit: ($limit + 1), $offset} | fetch | _rows) as $rows
    | if ($rows | length) <= $limit then {items: $rows, complete: true}
      else {items: $rows[:$limit], complete: false, nextOffset: ($offset + $limit)} end
  end;

# find_one gives the row whose id is the input or, failing that, the only row
# whose name is, without regard to case. Otherwise it refuses: it says that
# the $what was not found and which names come close, or lists at most 10 of
# those with that name as show gives them. $hint, if not null, ends the
# sentence. The input is a text or a number; nothing that stands in the
# sentence may be an array or an object.
def find_one($rows; id; name; $what; show; $hint):
  def said:
    if type == "array" or type == "object" then _bug("find_one: \(type) in place of a text") else tostring end;
  def refuse: . + (if $hint == null then "" else ": " + ($hint | said) end) | _error;
  if type != "string" and type != "number" then _bug("find_one: the input must be the id or the name") else . end
  | . as $asked
  | (tostring | _casefold) as $folded
  | [$rows[] | select(id | . != null and tostring == ($asked | tostring))] as $by_id
  | [$rows[] | select(name | type == "string" and _casefold == $folded)] as $by_name
  | if $by_id != [] then $by_id[0]
    elif ($by_name | length) == 1 then $by_name[0]
    elif $by_name == [] then
      ([$rows[] | name | strings] | unique) as $names
      | ($asked | tostring | _closest($__call; $names; 10) | map(_quoted) | join(", ")) as $near
      | "\($what | said) \($asked | _quoted) not found" + (if $near == "" then "" else " (did you mean \($near)?)" end)
      | refuse
    else
      "\($asked | _quoted) names more than one \($what | said): "
        + ([$by_name[:10][] | show | said] | join(", "))
        + (if ($by_name | length) > 10 then " and more" else "" end)
      | refuse
    end;

# note adds the texts that are neither null nor empty to .note.
def note($texts):
  [.note, $texts[] | select(. != null and . != "")] as $all
  | if $all == [] then . else .note = ($all | join("; ")) end;

# index_by gives an object of the input's rows by what f gives for each; the
# last of several wins.
def index_by(f):
  [.[]] | _index_by(map([f]));

# count_by gives an object that says how often f gives each value.
def count_by(f):
  [.[]] | _count_by(map([f]));

# INDEX is jq's, in linear time.
def INDEX(stream; f):
  [stream] | _index_by(map([f]));
def INDEX(f):
  INDEX(.[]; f);
