package access

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	a := provisioned(t, secretAccess())
	for text, want := range map[string]string{
		"":                                     "",
		"/" + urlSecret:                        "/REDACTED",
		urlSecret + "." + nextSecret:           "REDACTED.REDACTED",
		"/a%2f" + urlSecret + "%2F":            "/a%2fREDACTED%2F",
		"/%30%66" + urlSecret[2:] + "?x=%zz%":  "/REDACTED?x=%zz%",
		"?q=%zz&x=" + urlSecret + "%":          "?q=%zz&x=REDACTED%",
		"?q=a%" + urlSecret:                    "?q=a%REDACTED",
		"/x" + urlSecret:                       "/x" + urlSecret,
		"/" + urlSecret + "_":                  "/" + urlSecret + "_",
		"/" + strings.ToUpper(urlSecret):       "/" + strings.ToUpper(urlSecret),
		"/%2530" + urlSecret[1:]:               "/%2530" + urlSecret[1:],
		"/" + urlSecret[1:] + "/" + urlSecret:  "/" + urlSecret[1:] + "/REDACTED",
		"https://" + urlSecret + "@a:1/?#/mcp": "https://REDACTED@a:1/?#/mcp",
	} {
		if got := a.redact(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzRedact holds that no URL keeps a secret that stands between characters
// which a secret has not, and that one without a secret stays as it is.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{"/mcp/", "/x%2f", "?q=%", "%0", "é;", "-"} {
		f.Add(seed, "/")
		f.Add("/", seed)
	}
	a := &Access{secrets: []digest{sha256.Sum256([]byte(urlSecret))}}
	f.Fuzz(func(t *testing.T, before, after string) {
		if text := before + after; !strings.Contains(text, "%") && !strings.Contains(text, urlSecret) && a.redact(text) != text {
			t.Errorf("%q has become %q", text, a.redact(text))
		}
		text := before + "/" + urlSecret + "/" + after
		if got := a.redact(text); strings.Contains(got, urlSecret+"/"+after) || !strings.Contains(got, "/REDACTED/") {
			t.Errorf("%q has become %q", text, got)
		}
	})
}
