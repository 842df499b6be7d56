package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// shareKey seals links in tests.
const shareKey = "0123456789abcdef0123456789abcdef"

// linkTo asks for a link to a run.
func linkTo(t *testing.T, r *rig, run, length string) (path string) {
	t.Helper()
	return linkOf(t, r, alice, run, length)
}

func linkOf(t *testing.T, r *rig, who, run, length string) (path string) {
	t.Helper()
	var got struct {
		Path    string
		Expires time.Time
	}
	body := r.call(t, 200, who+"\r\nX-Sabir-Run: "+run, "GET", "/run?sabir_share_for="+length, "")
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err, body)
	}
	if left, _ := time.ParseDuration(length); time.Until(got.Expires) > left || time.Until(got.Expires) < left-2*time.Second {
		t.Errorf("it expires at %s", got.Expires)
	}
	return got.Path
}

// TestShareLink: a run is read by a link without credentials, live and from where its client was cut, at another replica too, and nothing
// else is done by it.
func TestShareLink(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	resume := "grace: 1m, share: {key: " + shareKey + "}"
	one, two := replica(t, a, "agui", resume, address), replica(t, a, "agui", resume, address)
	_, resp, run, had := openAt(t, one)
	path := linkTo(t, one, run, "1h")
	if strings.Contains(path, run) {
		t.Errorf("the link names the run: %s", path)
	}
	two.awaitRun(t, run)
	other := two.dial()
	other.ask("GET", path, "")
	live := other.response()
	one.call(t, 404, "X-Sabir-Run: "+run, "GET", "/run", "")
	one.call(t, 404, "X-Sabir-Run: "+run, "DELETE", path, "")
	close(goOn)
	whole := rest(t, resp)
	body, err := io.ReadAll(live.Body)
	if err != nil || string(body) != had+whole {
		t.Errorf("%v: by the link comes\n%s\nnot\n%s%s", err, body, had, whole)
	}
	if got := two.call(t, 200, "Last-Event-ID: "+lastID(had), "GET", path, ""); got != whole {
		t.Errorf("behind the position comes\n%s\nnot\n%s", got, whole)
	}
	// A link makes no other link: it is followed.
	if got := one.call(t, 200, "", "GET", path+"&sabir_share_for=1h", ""); got != string(body) {
		t.Errorf("a link by a link: %s", got)
	}
}

// TestShareLinkRefused: no link that was changed, that is another route's or key's, or that has expired, leads to anything; no client makes
// one to a run that is not its own, or for longer than it may.
func TestShareLinkRefused(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := resuming(t, a, "agui", "grace: 1m, share: {key: "+shareKey+", ttl: 2h}")
	c := r.dial()
	c.ask("POST", "/run", resumeClients[0].body, alice)
	resp := c.response()
	run := resp.Header.Get(runHeader)
	rest(t, resp)
	path := linkTo(t, r, run, "2h")
	r.call(t, 200, "", "GET", path, "", "RUN_FINISHED")
	for i := len("/run?sabir_share="); i < len(path); i += 7 {
		changed := []byte(path)
		if changed[i]++; changed[i] > 'z' || !strings.ContainsRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", rune(changed[i])) {
			changed[i] = 'Q'
		}
		if string(changed) != path {
			r.call(t, 404, "", "GET", string(changed), "", "run_unknown")
		}
	}
	for _, text := range []string{"x", "AAAA", strings.Repeat("A", 200)} {
		r.call(t, 404, "", "GET", "/run?sabir_share="+text, "", "run_unknown")
	}
	for _, length := range []string{"3h", "2h1ns", "999ms", "0s", "-1h", "soon", "5"} {
		r.call(t, 400, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run?sabir_share_for="+length, "", "request_unreadable", "must be a duration from 1s to 2h0m0s.")
	}
	r.call(t, 404, bob+"\r\nX-Sabir-Run: "+run, "GET", "/run?sabir_share_for=1h", "", "run_unknown")
	short := linkTo(t, r, run, "1s")
	await(t, "the link to expire", func() bool {
		c := r.dial()
		c.ask("GET", short, "")
		resp := c.response()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode == 404
	})
	other := resuming(t, a, "agui", "grace: 1m, share: {key: other-"+shareKey+"}")
	other.call(t, 404, "", "GET", path, "", "run_unknown")
}

// TestShareLinkOff: without a key there are no links, and a query that looks like one changes nothing.
func TestShareLinkOff(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := resuming(t, a, "agui", "grace: 1m")
	c := r.dial()
	c.ask("POST", "/run", resumeClients[0].body, alice)
	resp := c.response()
	rest(t, resp)
	run := resp.Header.Get(runHeader)
	r.call(t, 200, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run?sabir_share_for=1h", "", "RUN_FINISHED")
	r.call(t, 404, bob+"\r\nX-Sabir-Run: "+run, "GET", "/run?sabir_share=x", "")
}

// TestShareLinkWithAuth: a link is read without the credentials that the route wants, and one that is not valid is not.
func TestShareLinkWithAuth(t *testing.T) {
	t.Parallel()
	who := "Authorization: Bearer " + aliceKey
	a := newAgent(t, streaming(smallRun))
	r := start(t, strings.Replace(simple(a.url(), keysYAML(), "", fmt.Sprintf(
		"client: agui\nauth: [keys]\nrequests: {mode: translate}\nresume: {grace: 1m, share: {key: %s}}", shareKey)), "path: /run", "path: /run/*", 1))
	r.call(t, 401, "", "POST", "/run", resumeClients[0].body)
	c := r.dial()
	c.ask("POST", "/run", resumeClients[0].body, who)
	resp := c.response()
	if rest(t, resp); resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	path := linkOf(t, r, who, resp.Header.Get(runHeader), "1h")
	r.call(t, 200, "", "GET", path, "", "RUN_FINISHED")
	r.call(t, 401, "", "GET", path+"x", "")
	r.call(t, 401, "", "GET", "/run?sabir_share_for=1h", "")
}

// TestServerWithoutKey: a server is not made with the key of a configuration as it was printed, and leaves nothing open.
func TestServerWithoutKey(t *testing.T) {
	t.Parallel()
	cfg := parse(t, simple("http://127.0.0.1:1/", storeYAML(redisAddress(t), prefixed(t)), "", "client: agui\nresume: {grace: 1m, share: {key: "+shareKey+"}}"))
	for key, fails := range map[config.Secret]bool{"(hidden)": true, shareKey: false} {
		cfg.Routes[0].Resume.Share.Key = key
		s, err := New(cfg, zap.NewNop(), "test")
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "as it was printed") {
			t.Errorf("%q: %v", string(key), err)
		}
		if err == nil {
			done, cancel := context.WithCancel(t.Context())
			cancel()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Serve(done, ln); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLinksSayWhatWasSealed: a link says which run it is for, and whose, up to the second in which it expires, however long the names are.
func TestLinksSayWhatWasSealed(t *testing.T) {
	t.Parallel()
	r := &route{name: "/run", cfg: &config.Route{Resume: config.Resume{Share: config.Share{Key: shareKey, TTL: time.Hour}}}}
	s, err := newSharer(r)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Unix(1_000_000, 0)
	for _, want := range []link{{"", ""}, {"t", ""}, {"", "s"}, {newToken(), "/run\x00scope"}, {strings.Repeat("x", 255), strings.Repeat("y", 500)}} {
		text := []byte(s.make(want, until))
		if got := s.read(text, until.Add(-time.Second)); got == nil || *got != want {
			t.Errorf("%+v is read as %+v", want, got)
		}
		if got := s.read(text, until); got != nil {
			t.Errorf("%+v is read when it has expired", want)
		}
	}
	for n := range 40 { // none of which was sealed
		if got := s.read([]byte(strings.Repeat("A", n)), until.Add(-time.Second)); got != nil {
			t.Errorf("%d characters are a link: %+v", n, got)
		}
	}
}
