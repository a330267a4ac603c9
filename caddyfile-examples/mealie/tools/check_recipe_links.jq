# Servers that refuse HEAD are asked by GET. Some refuse every program.
def probe($method): fetch_all(map({ url: ., method: $method, upstream: "site", head_only: true }); 8);
def verdict:
  if .status == null then if .error.message | contains("public address") then "unverified" else "broken" end
  elif .status | IN(401, 403, 405, 429, 501) then "unverified"
  elif .status >= 400 then "broken"
  else "fine" end;
library($args.max_recipes) as $library
| [$library.items[] | select($args.check_sources and (.orgURL // "") != "")] as $linked
| ([$linked[].orgURL] | unique) as $urls
| reduce range(0; $urls | length; 40) as $from ({};
    . as $known
    | $urls[$from:$from + 40]
    | [., probe("HEAD")] | transpose
    | (map(select(.[1].status != 200)[0])) as $again
    | (map({ key: .[0], value: .[1] }) + ([$again, ($again | probe("GET"))] | transpose | map({ key: .[0], value: .[1] })) | from_entries)
    | $known + .
    | progress(length; $urls | length; "probing links"))
| with_entries(.value |= { verdict: verdict, reason: (.error.message // "status \(.status)") }) as $probed
| def found($verdict): [$linked[] | { slug, url: .orgURL } + ($probed[.orgURL] | select(.verdict == $verdict) | { reason })];
  {
    sources_checked: $urls | length,
    broken: found("broken"),
    unverified: found("unverified"),
    without_image: [$library.items[] | select($args.check_images and (.image // "") == "") | .slug]
  }
| note([($library | scanned)])
