//go:build linux

package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// judges are the servers that decide who may call: one that is asked about each request, and one that has the public keys of tokens.
type judges struct {
	forward, jwks *judge
	key           ed25519.PrivateKey
}

// judge is one of these servers. It can die, come back at the same address, and misbehave.
type judge struct {
	addr  string
	good  http.HandlerFunc
	ln    net.Listener
	http  *http.Server
	asked atomic.Int64
}

func newJudge(good http.HandlerFunc) (*judge, error) {
	j := &judge{addr: "127.0.0.1:0", good: good}
	return j, j.serve(good)
}

// serve answers from now on by do.
func (j *judge) serve(do http.HandlerFunc) error {
	ln, err := net.Listen("tcp", j.addr)
	if err != nil {
		return err
	}
	j.ln, j.addr = ln, ln.Addr().String()
	j.http = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		j.asked.Add(1)
		do(w, r)
	})}
	go func(s *http.Server) { _ = s.Serve(ln) }(j.http)
	return nil
}

// becomes dies, and comes back as something else.
func (j *judge) becomes(do http.HandlerFunc) error {
	j.die()
	return j.serve(do)
}

// die ends connections, too. The listener may not be known to the server yet.
func (j *judge) die() {
	_ = j.http.Close()
	j.ln.Close()
}

func newJudges() (*judges, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	keys := fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","alg":"EdDSA","use":"sig","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	j := &judges{key: private}
	if j.jwks, err = newJudge(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, keys) }); err != nil {
		return nil, err
	}
	j.forward, err = newJudge(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Auth-Request-User", "alice") })
	return j, err
}

func (j *judges) close() {
	j.jwks.die()
	j.forward.die()
}

// config has a route for each judge, beside the one that is open.
func (j *judges) config() chaosConfig {
	return chaosConfig{
		top: fmt.Sprintf("auth:\n  jwt: {issuer: i, audience: a, jwks: 'http://%s/'}\n  forward: {url: 'http://%s/', timeout: 1s, headers: [X-Auth-Request-User]}\n", j.jwks.addr, j.forward.addr),
		more: "  - {path: /jwt, upstream: canary, client: agui, requests: {mode: pass}, auth: [jwt]}\n" +
			"  - {path: /forward, upstream: canary, client: agui, requests: {mode: pass}, auth: [forward]}\n",
	}
}

// token is a good one, with a field of the request that holds it.
func (j *judges) token() string {
	claims := jwt.MapClaims{"iss": "i", "aud": "a", "sub": "alice", "exp": time.Now().Add(24 * time.Hour).Unix()}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"] = "k"
	signed, _ := token.SignedString(j.key) // never fails for a key that fits
	return "Authorization: Bearer " + signed
}

// judged are streams on the route of a judge.
func (t *trial) judged(j *judges, path string, total int, pace time.Duration) *crowd {
	c := t.newCrowd(total, pace)
	if c.path = path; path == "/jwt" {
		c.fields = j.token
	}
	return c
}

// expect makes requests, which must all end so.
func (c *crowd) expect(what string, n int, want ending) {
	before := c.ended(want)
	c.settle(n)
	if got := c.ended(want) - before; got != n {
		c.fault("%s: %d of %d requests to %s are %s", what, got, n, c.path, want)
	}
}

// authKilled lets the judges die.
func authKilled(t *trial) {
	j, err := newJudges()
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer j.close()
	w := t.chaos(j.config(), processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	byToken, byServer := t.judged(j, "/jwt", 5, time.Millisecond), t.judged(j, "/forward", 5, time.Millisecond)
	duringToken, duringServer := t.judged(j, "/jwt", 40, 100*time.Millisecond), t.judged(j, "/forward", 40, 100*time.Millisecond)
	duringToken.begin(t.pick(20, 150))
	duringServer.begin(t.pick(20, 150))
	for range t.pick(2, 10) {
		byToken.expect("all is well", 10, endWhole)
		byServer.expect("all is well", 10, endWhole)
		j.jwks.die()
		j.forward.die()
		byToken.expect("the public keys are known, and their server is away", 10, endWhole)
		byServer.expect("the server that decides is away", 10, endRefused)
		for _, server := range []*judge{j.jwks, j.forward} {
			if err := server.serve(server.good); err != nil {
				t.fault("%v", err)
				return
			}
		}
	}
	byServer.expect("it is back", 10, endWhole)
	duringToken.judge("running, by token")
	duringServer.judge("running, by the server")
	byToken.judge("new, by token")
	byServer.judge("new, by the server", endRefused)
}

// stallsOf are ways for a server that decides not to answer.
var stallsOf = []struct {
	name string
	do   http.HandlerFunc
}{
	{"silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	{"a header, and no end of the answer", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.WriteHeader(http.StatusInternalServerError)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}},
	{"a body without end", func(w http.ResponseWriter, r *http.Request) {
		for page := []byte(strings.Repeat("x", 1<<16)); r.Context().Err() == nil; {
			if _, err := w.Write(page); err != nil {
				return
			}
		}
	}},
	{"byte by byte", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	}},
}
