package access

// Callers lists everyone who can be let in, whether or not their token is valid
// now.
func (a *Access) Callers() []Caller {
	var callers []Caller
	if a.None {
		callers = append(callers, Caller{})
	}
	if len(a.URLSecrets) > 0 {
		callers = append(callers, urlSecretCaller)
	}
	for _, t := range a.BearerTokens {
		callers = append(callers, t.caller())
	}
	return callers
}

// urlSecretCaller is whoever knows a URL secret.
var urlSecretCaller = Caller{ID: "url_secret"}

// caller is whoever sends the token.
func (t *BearerToken) caller() Caller {
	return Caller{ID: "bearer:" + t.Name, Name: t.Name, Scopes: t.Scopes}
}
