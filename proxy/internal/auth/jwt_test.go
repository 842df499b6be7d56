package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"github.com/sabir-proxy/sabir/config"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// signer is a key of an identity provider.
type signer struct {
	kid    string
	method jwt.SigningMethod
	key    crypto.Signer
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// jwk is the public key as a key set has it.
func (s *signer) jwk() string {
	switch pub := s.key.Public().(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf(`{"kty":"RSA","kid":%q,"use":"sig","n":%q,"e":%q}`, s.kid, b64(pub.N.Bytes()), b64(big.NewInt(int64(pub.E)).Bytes()))
	case *ecdsa.PublicKey:
		raw, _ := pub.Bytes()
		return fmt.Sprintf(`{"kty":"EC","crv":"P-256","kid":%q,"x":%q,"y":%q}`, s.kid, b64(raw[1:33]), b64(raw[33:]))
	case ed25519.PublicKey:
		return fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","kid":%q,"x":%q}`, s.kid, b64(pub))
	}
	return ""
}

// token signs claims, over those of a good token.
func (s *signer) token(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	return sign(t, s.method, s.kid, s.key, claims)
}

func sign(t testing.TB, method jwt.SigningMethod, kid string, key any, claims jwt.MapClaims) string {
	t.Helper()
	all := jwt.MapClaims{"iss": "https://login.example.com/", "aud": []string{"other", "agents"}, "sub": "carol", "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range claims {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	token := jwt.NewWithClaims(method, all)
	if kid != "" {
		token.Header["kid"] = kid
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func signers(t testing.TB) (r, e, o *signer) {
	t.Helper()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, okp, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{"rsa", jwt.SigningMethodRS256, rsaKey}, &signer{"ec", jwt.SigningMethodES256, ecKey}, &signer{"okp", jwt.SigningMethodEdDSA, okp}
}

func keySet(keys ...*signer) string {
	list := []string{`{"kty":"new","kid":"odd"}`, `{"kty":"oct","kid":"shared","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"}`}
	for _, k := range keys {
		list = append(list, k.jwk())
	}
	return `{"keys":[` + strings.Join(list, ",") + `]}`
}

// provider serves a key set.
type provider struct {
	*httptest.Server
	fetches atomic.Int64
	set     atomic.Pointer[string]
	status  atomic.Int64
	hold    chan struct{} // nil: answers at once
}

func newProvider(t testing.TB, set string) *provider {
	p := &provider{}
	p.set.Store(&set)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.fetches.Add(1)
		if p.hold != nil {
			<-p.hold
		}
		if s := int(p.status.Load()); s != 0 {
			w.WriteHeader(s)
			return
		}
		_, _ = io.WriteString(w, *p.set.Load())
	}))
	t.Cleanup(p.Close)
	return p
}

// jwtConfig is a configuration with the defaults of the manual.
func jwtConfig(where string) *config.JWT {
	return &config.JWT{
		Issuer: "https://login.example.com/", Audience: "agents", JWKS: where, Leeway: 30 * time.Second, Refresh: time.Hour,
		Algorithms: []string{"RS256", "ES256", "EdDSA"}, Principal: "sub",
	}
}

func newJWT(t testing.TB, cfg *config.JWT) *JWT {
	t.Helper()
	set, err := NewKeySet(cfg, nil, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Close)
	return NewJWT(cfg, set)
}

func withToken(token string) *Request {
	h := new(fasthttp.RequestHeader)
	h.Set("Authorization", "Bearer "+token)
	return &Request{Header: h}
}

// TestTokens: which tokens name their client, and which are refused, and why. No answer repeats a token.
func TestTokens(t *testing.T) {
	r, e, o := signers(t)
	p := newProvider(t, keySet(r, e, o))
	j := newJWT(t, jwtConfig(p.URL))
	j.keys.Renew()
	f := func(name, token string, want Result, why string) {
		t.Helper()
		a := j.Check(withToken(token))
		if a.Result != want || !strings.Contains(a.Why, why) || (want == OK) != (a.Who == "carol") || (want == OK) != (len(a.Used) == 1) {
			t.Errorf("%s: %+v", name, a)
		}
		if want == Refused && (len(a.Challenge) != 1 || len(token) > 8 && strings.Contains(fmt.Sprint(a), token[:8])) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	now := time.Now()
	f("RSA", r.token(t, nil), OK, "")
	f("ECDSA", e.token(t, nil), OK, "")
	f("EdDSA", o.token(t, nil), OK, "")
	f("one audience", r.token(t, jwt.MapClaims{"aud": "agents"}), OK, "")
	f("without a key id", sign(t, r.method, "", r.key, nil), OK, "")
	f("expired within the leeway", r.token(t, jwt.MapClaims{"exp": now.Add(-20 * time.Second).Unix()}), OK, "")
	f("not yet, within the leeway", r.token(t, jwt.MapClaims{"nbf": now.Add(20 * time.Second).Unix()}), OK, "")
	f("expired", r.token(t, jwt.MapClaims{"exp": now.Add(-time.Minute).Unix()}), Refused, "has expired")
	f("not yet", r.token(t, jwt.MapClaims{"nbf": now.Add(time.Minute).Unix()}), Refused, "not valid yet")
	f("no expiry", r.token(t, jwt.MapClaims{"exp": nil}), Refused, "lacks a claim")
	f("expiry of letters", r.token(t, jwt.MapClaims{"exp": "never"}), Refused, "")
	f("another audience", r.token(t, jwt.MapClaims{"aud": "others"}), Refused, "another audience")
	f("no audience", r.token(t, jwt.MapClaims{"aud": nil}), Refused, "")
	f("another issuer", r.token(t, jwt.MapClaims{"iss": "https://login.example.com"}), Refused, "another issuer")
	f("no issuer", r.token(t, jwt.MapClaims{"iss": nil}), Refused, "")
	f("no subject", r.token(t, jwt.MapClaims{"sub": nil}), Forbidden, "claim sub")
	f("a subject of two lines", r.token(t, jwt.MapClaims{"sub": "a\r\nX-Admin: 1"}), Forbidden, "claim sub")
	f("a long subject", r.token(t, jwt.MapClaims{"sub": strings.Repeat("a", 300)}), Forbidden, "claim sub")
	f("algorithm none", sign(t, jwt.SigningMethodNone, r.kid, jwt.UnsafeAllowNoneSignatureType, nil), Refused, "signature")
	der, _ := x509.MarshalPKIXPublicKey(r.key.Public())
	for _, secret := range [][]byte{der, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), []byte(r.jwk())} {
		f("HMAC with the public key", sign(t, jwt.SigningMethodHS256, r.kid, secret, nil), Refused, "signature")
	}
	f("HMAC with a shared key of the set", sign(t, jwt.SigningMethodHS256, "shared", []byte("secret-secret-secret-secret-secr"), nil), Refused, "")
	f("an algorithm that is not listed", sign(t, jwt.SigningMethodRS512, r.kid, r.key, nil), Refused, "signature")
	f("a key of another kind", sign(t, e.method, r.kid, e.key, nil), Refused, "")
	other, _, _ := signers(t)
	f("another key of the same id", sign(t, other.method, r.kid, other.key, nil), Refused, "signature")
	good := r.token(t, nil)
	f("a changed payload", strings.Replace(good, ".ey", ".eyJhIjoxLC", 1), Refused, "")
	f("a changed signature", good[:len(good)-4]+"AAAA", Refused, "signature")
	f("no signature", good[:strings.LastIndex(good, ".")+1], Refused, "")
	f("no token", "sk-1234567890", Refused, "no token")
	f("dots", "..", Refused, "no token")
	f("nothing", "", Missing, "")
}

// TestKeyRotation: a key that comes into use is fetched, and one that is withdrawn does not count any more.
func TestKeyRotation(t *testing.T) {
	r, e, _ := signers(t)
	p := newProvider(t, keySet(r))
	j := newJWT(t, jwtConfig(p.URL))
	j.keys.mu.Lock()
	j.keys.pause = 0
	j.keys.mu.Unlock()
	f := func(token string, want Result) {
		t.Helper()
		if a := j.Check(withToken(token)); a.Result != want {
			t.Errorf("%+v, want %s", a, want)
		}
	}
	f(r.token(t, nil), OK) // which waits for the first fetch
	f(e.token(t, nil), Refused)
	next := keySet(e)
	p.set.Store(&next)
	f(r.token(t, nil), OK)
	f(e.token(t, nil), OK)
	f(r.token(t, nil), Refused)
	p.status.Store(500) // what is known stays, and what is not cannot be judged
	f(e.token(t, nil), OK)
	f(r.token(t, nil), Unavailable)
}

// TestFloodOfUnknownKeys: however many tokens name keys that are not there, the provider is asked once in a while.
func TestFloodOfUnknownKeys(t *testing.T) {
	r, e, _ := signers(t)
	p := newProvider(t, keySet(r))
	j := newJWT(t, jwtConfig(p.URL))
	if a := j.Check(withToken(r.token(t, nil))); a.Result != OK {
		t.Fatal(a)
	}
	var all sync.WaitGroup
	for n := range 500 {
		token := sign(t, e.method, fmt.Sprint("kid-", n), e.key, nil)
		all.Go(func() {
			if a := j.Check(withToken(token)); a.Result != Refused {
				t.Errorf("%+v", a)
			}
		})
	}
	all.Wait()
	if n := p.fetches.Load(); n > 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// TestNoKeysYet: while the keys cannot be fetched every request is refused, and none waits for long; a set that is too large is none.
func TestNoKeysYet(t *testing.T) {
	r, _, _ := signers(t)
	huge := `{"keys":[` + strings.Repeat(" ", maxKeySet) + r.jwk() + `]}`
	for name, set := range map[string]string{"huge": huge, "no JSON": "<html>", "no keys": `{"keys":[]}`, "shared keys only": keySet()[:strings.Index(keySet(), ",{")] + "]}"} {
		p := newProvider(t, set)
		j := newJWT(t, jwtConfig(p.URL))
		if a := j.Check(withToken(r.token(t, nil))); a.Result != Unavailable {
			t.Errorf("%s: %+v", name, a)
		}
	}
	j := newJWT(t, jwtConfig("http://127.0.0.1:1/"))
	if a := j.Check(withToken(r.token(t, nil))); a.Result != Unavailable {
		t.Errorf("unreachable: %+v", a)
	}
	if a := j.Check(withToken("")); a.Result != Missing {
		t.Errorf("no token: %+v", a)
	}
	elsewhere := newProvider(t, keySet(r))
	leads := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(leads.Close)
	j = newJWT(t, jwtConfig(leads.URL))
	if a := j.Check(withToken(r.token(t, nil))); a.Result != Unavailable || elsewhere.fetches.Load() != 0 {
		t.Errorf("a redirect: %+v", a)
	}
}

// TestStaleKeys are fetched again beside the requests, which do not wait.
func TestStaleKeys(t *testing.T) {
	r, _, _ := signers(t)
	p := newProvider(t, keySet(r))
	j := newJWT(t, jwtConfig(p.URL))
	token := r.token(t, nil)
	if a := j.Check(withToken(token)); a.Result != OK {
		t.Fatal(a)
	}
	p.hold = make(chan struct{})
	j.keys.mu.Lock()
	j.keys.pause, j.keys.every = 0, 0
	j.keys.mu.Unlock()
	for range 20 {
		begun := time.Now()
		if a := j.Check(withToken(token)); a.Result != OK || time.Since(begun) >= fetchTime {
			t.Errorf("%+v after %s", a, time.Since(begun))
		}
	}
	close(p.hold)
}

// TestKeyFile: the keys of a file are there at once, and what is no key set is an error.
func TestKeyFile(t *testing.T) {
	r, e, _ := signers(t)
	file := filepath.Join(t.TempDir(), "jwks.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(keySet(r))
	j := newJWT(t, jwtConfig(file))
	if a := j.Check(withToken(r.token(t, nil))); a.Result != OK {
		t.Errorf("%+v", a)
	}
	write(keySet(r, e))
	if a := j.Check(withToken(e.token(t, nil))); a.Result != OK { // as a key that is not known
		t.Errorf("%+v", a)
	}
	write("no keys")
	if set, err := NewKeySet(jwtConfig(file), nil, func(error) {}); err == nil {
		set.Close()
		t.Error("a file without keys is taken")
	}
}

// TestSchemesKeepKeys: public keys of the same place outlive a reload.
func TestSchemesKeepKeys(t *testing.T) {
	r, _, _ := signers(t)
	p := newProvider(t, keySet(r))
	cfg := &config.Config{Auth: config.Auth{JWT: jwtConfig(p.URL), MTLS: config.MTLS{Principal: "auto"}}}
	fetched := make(chan error, 8)
	first, err := New(cfg, nil, Dialers{}, func(err error) { fetched <- err })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-fetched); err != nil {
		t.Fatal(err)
	}
	next, err := New(cfg, first, Dialers{}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	first.Close(next)
	sum := sha256.Sum256([]byte("a key of carol's"))
	both := &Guard{names: []string{"jwt", "keys"}, schemes: []Scheme{next.byName["jwt"], Keys{{"carol", sum}}}}
	req := withToken(r.token(t, nil))
	req.Header.Set("X-Api-Key", "a key of carol's")
	if id, _ := both.Check(req, func(string, Result) {}); id == nil || fmt.Sprint(id.Used) != "[authorization x-api-key]" {
		t.Errorf("of a token and a key there is used %+v", id)
	}
	g, err := next.Guard(config.RouteAuth{Any: []string{"jwt"}})
	if err != nil {
		t.Fatal(err)
	}
	p.status.Store(500)
	if id, a := g.Check(withToken(r.token(t, nil)), func(string, Result) {}); id == nil || id.Name != "carol" || id.Scope != "jwt:carol\x00" {
		t.Errorf("%+v %+v", id, a)
	}
	next.Close(nil)
	if _, err := next.Guard(config.RouteAuth{Any: []string{"forward"}}); err == nil {
		t.Error("a scheme that is not set up guards a route")
	}
}
