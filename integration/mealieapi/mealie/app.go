package mealie

import "net/http"

const (
	version  = "v2.8.0"
	username = "cook"
	fullName = "Sam Cook"
)

// serveApp serves what the API says of itself and of its caller.
func (a *API) serveApp() {
	a.handle("GET /api/app/about", func(*http.Request) (reply, error) {
		return ok(map[string]any{
			"production": true, "version": version, "demoStatus": false, "allowSignup": false, "allowPasswordLogin": true,
			"defaultGroupSlug": "home", "defaultHouseholdSlug": "family", "enableOidc": false, "oidcRedirect": false,
			"oidcProviderName": "OAuth", "enableOpenai": false, "enableOpenaiImageServices": false,
		})
	})
	a.handle("GET /api/users/self", func(*http.Request) (reply, error) {
		return ok(map[string]any{
			"id": userID, "username": username, "fullName": fullName, "email": "cook@example.com", "authMethod": "Mealie",
			"admin": true, "group": "Home", "household": "Family", "advanced": false, "canInvite": true, "canManage": true,
			"canManageHousehold": true, "canOrganize": true, "groupId": groupID, "groupSlug": "home",
			"householdId": householdID, "householdSlug": "family", "tokens": []any{}, "cacheKey": "1234",
		})
	})
}
