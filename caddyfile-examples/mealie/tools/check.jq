get("/api/app/about").version as $version
| check($version | ltrimstr("v") | split(".")[0] | tonumber? // 2 | . >= 2; "Mealie \($version) is too old: this needs 2.0 or newer")
| get("/api/users/self").username as $user
| "connected to Mealie \($version) as \($user)"
