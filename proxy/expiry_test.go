package proxy

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/golang-jwt/jwt/v5"
)

// tokens are those of an identity provider.
type tokens struct {
	t    *testing.T
	key  ed25519.PrivateKey
	yaml string // of auth
}

func newTokens(t *testing.T, more string) *tokens {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	set := filepath.Join(t.TempDir(), "jwks.json")
	keys := fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	if err := os.WriteFile(set, []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tokens{t: t, key: private, yaml: "auth: {jwt: {issuer: i, audience: a, leeway: 0s, jwks: '" + set + "'" + more + "}}\n"}
}

// expiring is the field of a token that expires in a while: two to three seconds, as tokens count in seconds.
func (k *tokens) expiring() string {
	k.t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{"iss": "i", "aud": "a", "sub": "alice", "exp": time.Now().Unix() + 3})
	token.Header["kid"] = "k"
	signed, err := token.SignedString(k.key)
	if err != nil {
		k.t.Fatal(err)
	}
	return "Authorization: Bearer " + signed
}

// lasts is for longer than any token of a test.
const lasts = 8 * time.Second

// outlastingAgent says hello, and the rest when the token of its client has expired.
func outlastingAgent(t *testing.T) *agent {
	t.Helper()
	return newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lines(lineStart, lineHello))
			if string(p.body) == "slow" {
				time.Sleep(lasts)
			}
			p.finish(strings.TrimPrefix(smallRun, lines(lineStart, lineHello)))
		}
	})
}

// TestExpiredWebSocket: a WebSocket takes no message when the token that opened it has expired, and is closed.
func TestExpiredWebSocket(t *testing.T) {
	t.Parallel()
	k := newTokens(t, "")
	r := start(t, simple(outlastingAgent(t).url(), k.yaml, "", "client: twin\nauth: [jwt]\n"))
	idle, busy := r.dialWS("/run", k.expiring()), r.dialWS("/run", k.expiring())
	idle.say("quick")
	idle.run()
	busy.say("slow")
	busy.say("quick")
	if got := strings.Join(busy.run(), ""); !strings.Contains(got, `"status":"done"`) {
		t.Errorf("what runs ends with %s", got)
	}
	if got := strings.Join(busy.run(), ""); !strings.Contains(got, `"err_code":"credentials_expired"`) {
		t.Errorf("the next message is answered by %s", got)
	}
	for name, c := range map[string]*wsClient{"idle": idle, "busy": busy} {
		if code := c.code(); code != websocket.ClosePolicyViolation {
			t.Errorf("%s: closed with %d", name, code)
		}
	}
	if n := r.metric("sabir_requests_rejected_total", "code=credentials_expired"); n != 2 {
		t.Errorf("%v are counted", n)
	}
	if n := r.logs.FilterMessage("request rejected").Len(); n != 2 {
		t.Errorf("%d are logged", n)
	}
}

// TestExpiredEditor: turns of a connection end by themselves, and then it is closed.
func TestExpiredEditor(t *testing.T) {
	t.Parallel()
	k := newTokens(t, "")
	text := simple(newAgent(t, streaming(smallRun)).url(), k.yaml, "", "client: acp\nauth: [jwt]\nrequests: {mode: translate}\n")
	e := start(t, text).dialEditor("/run", k.expiring())
	e.holds(e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`), `"agentCapabilities"`)
	select {
	case err := <-e.ended:
		if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(2 * testTimeout):
		t.Error("it is not closed")
	}
}

// TestExpiredChat: the requests of a chat that has several at once are refused, each in its turn.
func TestExpiredChat(t *testing.T) {
	t.Parallel()
	k := newTokens(t, "")
	text := simple(newAgent(t, streaming(smallRun)).url(), k.yaml, "", "client: aisdk\nauth: [jwt]\nrequests: {mode: translate}\n")
	c := start(t, strings.Replace(text, "path: /run", "path: /run/*", 1)).dialWS("/run", k.expiring())
	c.say(sends("r1", "c1", "hello"))
	if got := c.answers("r1"); !strings.Contains(got["r1"], "end") {
		t.Fatalf("before it expires: %v", got)
	}
	if code := c.code(); code != websocket.ClosePolicyViolation {
		t.Errorf("closed with %d", code)
	}
}

// TestExpiredStream: an answer by HTTP outlives its token, unless the configuration says otherwise.
func TestExpiredStream(t *testing.T) {
	t.Parallel()
	f := func(more, want string, resume bool) {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			k := newTokens(t, more)
			route := "client: twin\nauth: [jwt]\n"
			if resume {
				route = "client: agui\nauth: [jwt]\nrequests: {mode: translate}\nresume: {grace: 1m}\n"
			}
			r := start(t, simple(newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.chunk(lines(lineStart, lineHello))
				time.Sleep(lasts)
				p.finish(strings.TrimPrefix(smallRun, lines(lineStart, lineHello)))
			}).url(), k.yaml, "", route))
			c := r.dial()
			c.ask("POST", "/run", resumeClients[0].body, k.expiring())
			resp := c.response()
			body, err := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusOK || err != nil || !strings.Contains(string(body), want) {
				t.Errorf("status %d, %v: %s", resp.StatusCode, err, body)
			}
			r.awaitEnds(1)
		})
	}
	f("", `"status":"done"`, false)
	f(", expired: end", `"err_code":"credentials_expired"`, false)
	f(", expired: end", `"code":"credentials_expired"`, true)
}

// TestExpiredSocketUpstream: where messages of the client go to a socket of the upstream, the run ends with the token.
func TestExpiredSocketUpstream(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		_ = c.WriteMessage(websocket.TextMessage, []byte(lineStart))
		listen(c)
	})
	k := newTokens(t, "")
	r := start(t, simple(a.url(), k.yaml, "", "client: twin\nauth: [jwt]\n"))
	c := r.dialWS("/run", k.expiring())
	if got := strings.Join(c.run(), ""); !strings.Contains(got, `"err_code":"credentials_expired"`) {
		t.Errorf("it ends with %s", got)
	}
	if code := c.code(); code != websocket.ClosePolicyViolation {
		t.Errorf("closed with %d", code)
	}
	r.awaitEnds(1)
	if n := r.metric("sabir_streams_total", "ending=credentials_expired"); n != 1 {
		t.Errorf("%v streams are counted", n)
	}
}
