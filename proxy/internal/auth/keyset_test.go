package auth

import (
	"strings"
	"testing"
)

// TestKeysBeside: a set may have several keys of one id; those that are for something else than signatures, or for another algorithm, verify
// nothing, also for a token that names no key.
func TestKeysBeside(t *testing.T) {
	r, e, _ := signers(t)
	secret, ps, _ := signers(t) // one to encrypt for, and one for another algorithm
	_, _, only := signers(t)
	r.kid, e.kid, secret.kid = "x", "x", "x"
	sealing := strings.Replace(secret.jwk(), `"use":"sig"`, `"use":"enc"`, 1)
	bound := strings.Replace(ps.jwk(), `"kty"`, `"alg":"ES384","kty"`, 1)
	p := newProvider(t, `{"keys":[`+strings.Join([]string{sealing, r.jwk(), e.jwk(), bound}, ",")+`]}`)
	j := newJWT(t, jwtConfig(p.URL))
	j.keys.Renew()
	f := func(name, token string, want Result, why string) {
		t.Helper()
		if a := j.Check(withToken(token)); a.Result != want || !strings.Contains(a.Why, why) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	f("the first of an id", r.token(t, nil), OK, "")
	f("the second of an id", e.token(t, nil), OK, "")
	f("the second, without its id", sign(t, e.method, "", e.key, nil), OK, "")
	f("to encrypt for", secret.token(t, nil), Refused, "signature")
	f("to encrypt for, without its id", sign(t, secret.method, "", secret.key, nil), Refused, "signature")
	f("for another algorithm", ps.token(t, nil), Refused, "algorithm")
	f("for another algorithm, without its id", sign(t, ps.method, "", ps.key, nil), Refused, "signature")
	f("not there", only.token(t, nil), Refused, "not known")
	if set, err := parseKeys([]byte(`{"keys":[` + sealing + `,{"kty":"oct","kid":"s","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"}]}`)); err == nil {
		t.Errorf("a set without a key for signatures is taken: %v", set)
	}
}
