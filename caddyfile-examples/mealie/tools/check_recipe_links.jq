# Each URL with what came of asking for it. Bodies are not read.
def asked($method; $message):
  [., fetch_all({ url: ., method: $method, upstream: "site", head_only: true }; 8; $message)]
  | transpose
  | map(.[1] + { url: .[0] });

# Some servers refuse every program, what is inside of this network is not asked,
# and a name that is not found says as much of the resolver as of the page.
def verdict:
  if .status == null then if .error.kind | IN("not_public", "unresolved") then "unverified" else "broken" end
  elif .status | IN(401, 403, 405, 429, 501) then "unverified"
  elif .status >= 400 then "broken"
  else "fine" end;

library($args.max_recipes) as $library
| [$library.items[] | select($args.check_sources and (.orgURL // "") != "")] as $linked
| ([$linked[].orgURL] | unique) as $urls
| ($urls | asked("HEAD"; "probing links")) as $heads
| ([$heads[] | select(.status != 200) | .url] | asked("GET"; null)) as $again
| ($heads + $again | index_by(.url)) as $probed
| def found($wanted): [$linked[] | .slug as $slug | $probed[.orgURL] | select(verdict == $wanted) | { $slug, url, reason: .error.message }];
  { sources_checked: $urls | length, broken: found("broken"), unverified: found("unverified") }
| if $args.check_images then .without_image = [$library.items[] | select((.image // "") == "") | .slug] else . end
| note([($library | scanned)])
