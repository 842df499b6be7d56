package auth

import (
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
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

// TestKeyRotationWithoutID is [TestKeyRotation] for tokens that do not name their key: one that no key verifies may be of a new one. What
// no key can make good fetches nothing.
func TestKeyRotationWithoutID(t *testing.T) {
	_, old, _ := signers(t)
	rsaNew, ecNew, _ := signers(t)
	p := newProvider(t, keySet(old))
	j := newJWT(t, jwtConfig(p.URL))
	j.keys.mu.Lock()
	j.keys.pause = 0
	j.keys.mu.Unlock()
	f := func(method jwt.SigningMethod, key any, claims jwt.MapClaims, want Result) {
		t.Helper()
		if a := j.Check(withToken(sign(t, method, "", key, claims))); a.Result != want {
			t.Errorf("%+v, want %s", a, want)
		}
	}
	f(old.method, old.key, nil, OK)
	next := keySet(ecNew)
	p.set.Store(&next)
	f(ecNew.method, ecNew.key, nil, OK)
	f(old.method, old.key, nil, Refused)
	next = keySet(rsaNew) // no key of the old set is for the algorithm
	p.set.Store(&next)
	f(rsaNew.method, rsaNew.key, nil, OK)
	p.status.Store(500)
	f(old.method, old.key, nil, Unavailable)
	f(rsaNew.method, rsaNew.key, nil, OK)
	p.status.Store(0)
	before := p.fetches.Load()
	f(rsaNew.method, rsaNew.key, jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()}, Refused)
	f(jwt.SigningMethodHS256, []byte("a shared secret that is long enough"), nil, Refused)
	if n := p.fetches.Load(); n != before {
		t.Errorf("the keys were fetched %d times for nothing", n-before)
	}
}
