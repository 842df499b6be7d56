package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// TestInflateLittle: what is called deflate may be bare, and then as short as two bytes; less is cut. Neither of the two signs of zlib alone
// makes it that: the first half of a byte, and the sum of two.
func TestInflateLittle(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("a", 31)
	for from, want := range map[string]struct {
		text string
		err  error
	}{
		"\x03\x00":                                 {"", nil},
		"\x4b\x04\x00":                             {"a", nil},
		"\x78\x9c\x4b\x04\x00\x00\x62\x00\x62":     {"a", nil},
		"\x08\x01\x00\xfe\xffa\x03\x00":            {"a", nil},
		"\x00\x1f\x00\xe0\xff" + word + "\x03\x00": {word, nil},
		"\x03": {"", io.ErrUnexpectedEOF},
		"":     {"", io.EOF},
	} {
		r, err := upstream.Codings["deflate"](strings.NewReader(from))
		var text []byte
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if string(text) != want.text || !errors.Is(err, want.err) {
			t.Errorf("%x: %q, %v", from, text, err)
		}
	}
}

// TestUnknownCodingIsLeft: an answer that cannot be read is given up.
func TestUnknownCodingIsLeft(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Encoding: br")
		p.chunk(smallRun)
		p.awaitGone()
		close(gone)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if resp, _ := r.post("/run", "{}"); resp.StatusCode != 502 {
		t.Errorf("status %d", resp.StatusCode)
	}
	<-gone
}

// TestShownAgain: on a connection each of whose requests shows credentials, those that opened it do not count until they expire, and no longer
// then.
func TestShownAgain(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Hour)
	who := &auth.Identity{Name: "alice", Until: past}
	from := sender{who: who}
	again := from.shownAgain()
	if from.expired() == nil || again.expired() != nil || again.who.Name != "alice" || who.Until != past {
		t.Errorf("%v, then %v of %+v", from.expired(), again.expired(), again.who)
	}
	if at, _ := again.expiry(); at != nil {
		t.Error("the connection expires")
	}
	if none := (sender{}).shownAgain(); none.who != nil {
		t.Errorf("it is %+v", none.who)
	}
}

// TestLossesOfReaders: what a client's dialect has no place for is counted once, whether the client reads the run itself or what is kept of it.
func TestLossesOfReaders(t *testing.T) {
	t.Parallel()
	for _, resume := range []string{"", "resume: {grace: 1m}\n"} {
		a := newAgent(t, streaming(lines(lineStart, `{"kind":"source","id":"s1","url":"https://a.example"}`, lineHello, lineEnd)))
		r := start(t, simple(a.url(), "", "", "client: openai-chat\nrequests: {mode: translate}\n"+resume))
		r.post("/run", chatRequest)
		r.awaitEnds(1)
		await(t, "the loss to be counted", func() bool { return r.metric("sabir_event_losses_total", "kind=source") > 0 })
		if n := r.metric("sabir_event_losses_total", "kind=source"); n != 1 {
			t.Errorf("%q: %v sources are lost", resume, n)
		}
	}
}

// TestFramingIsARule: what is wrong with the framing of an agent is a violation; what the check finds by itself is not counted twice.
func TestFramingIsARule(t *testing.T) {
	t.Parallel()
	for reason, want := range map[hub.Reason]int{hub.ReasonFraming: 1, hub.ReasonCut: 1, hub.ReasonTooLarge: 1, hub.ReasonMissing: 0, hub.ReasonSyntax: 0} {
		n := 0
		k := &ruleCheck{upstream: conform.New(conform.Config{Dialect: &native.Dialect, Report: func(conform.Violation) { n++ }})}
		k.fault(&hub.Error{Reason: reason})
		if n != want {
			t.Errorf("%v: %d violations", reason, n)
		}
	}
}

// TestAfter: a callback that calls another one as well still does what it did.
func TestAfter(t *testing.T) {
	t.Parallel()
	got := ""
	note := func(what string) func(string) { return func(v string) { got += what + v } }
	var callback func(string)
	after(&callback, note("a"))
	after(&callback, note("b"))
	if callback("1"); got != "a1b1" {
		t.Errorf("it does %s", got)
	}
}

// TestListOfRunsGoesOn: the list of runs says what has changed, and does not end while there is nothing to say.
func TestListOfRunsGoesOn(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "inspect: content\n", "", "client: twin\n"))
	r.InspectAlways()
	follow := r.kept.inspect.follower()
	for i := range 3 {
		if got, over := follow(nil); strings.HasPrefix(string(got), "event: runs\n") != (i == 0) || len(got) > 0 != (i == 0) || over {
			t.Errorf("look %d: %q, over %t", i, got, over)
		}
	}
	r.post("/run", "{}")
	r.awaitEnds(1)
	if got, over := follow(nil); !strings.Contains(string(got), `"gone":[]`) || strings.Contains(string(got), `"changed":[]`) || over {
		t.Errorf("%q, over %t", got, over)
	}
	if got, over := follow(nil); len(got) > 0 || over {
		t.Errorf("the same again: %q, over %t", got, over)
	}
}

// TestKeysThatCannotBeFetched: operators read that the keys of tokens cannot be fetched, and only then.
func TestKeysThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`))
	}))
	t.Cleanup(keys.Close)
	for url, lines := range map[string]int{"http://127.0.0.1:1/": 1, keys.URL: 0} {
		r := start(t, simple("http://127.0.0.1:1/", "auth: {jwt: {issuer: i, audience: a, jwks: '"+url+"'}}\n", "", "client: twin\nauth: [jwt]\n"))
		r.post("/run", "{}", "Authorization: Bearer eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AA")
		await(t, "the keys to be fetched", func() bool { return r.metric("sabir_jwks_fetches_total") > 0 })
		said := func() int { return r.logs.FilterMessageSnippet("cannot be fetched").Len() }
		if await(t, "the log", func() bool { return said() >= lines }); lines == 0 && said() > 0 {
			t.Errorf("%s: %d lines say that the keys cannot be fetched", url, said())
		}
	}
}

// TestPastOfCommands: where the agent keeps the conversation, the states of a turn that a command has begun hold what was said before, too.
func TestPastOfCommands(t *testing.T) {
	t.Parallel()
	r := start(t, newKeeper(t, adkAnswer).config("adk", "", "langgraph"))
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said("one"), "Hi!")
	all := r.events(t, alice, "t1", everyEvent)
	for _, text := range []string{"two", "three"} {
		r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said(text)))
		if got := eventsUntil(t, all, `"event":"completed"`); !strings.Contains(got, `"content":"one"`) || !strings.Contains(got, `"content":"`+text+`"`) {
			t.Errorf("the turn that says %s: %s", text, got)
		}
	}
}

// TestPreparedResponse: a request that wants no answer yet leaves its conversation to the next one.
func TestPreparedResponse(t *testing.T) {
	t.Parallel()
	r := start(t, strings.Replace(simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: openai-responses\nmethods: [GET, POST]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	_, talk, _ := strings.Cut(r.call(t, 200, alice, "POST", "/run/v1/conversations", `{}`), `"id":"`)
	talk, _, _ = strings.Cut(talk, `"`)
	c := r.dialWS("/run/v1/responses", alice)
	for _, more := range []string{`"generate":false,`, "", ""} {
		c.say(`{"type":"response.create","model":"m",` + more + `"conversation":"` + talk + `","input":"hi"}`)
		if all := c.response(); all[len(all)-1].Type != "response.completed" {
			t.Errorf("%q: %+v", more, all[len(all)-1])
		}
	}
}

// TestFramesOf: messages of a WebSocket are found however long they say they are, and what is not there to its end is none.
func TestFramesOf(t *testing.T) {
	t.Parallel()
	small, middle, large := strings.Repeat("a", 125), strings.Repeat("b", 126), strings.Repeat("c", 1<<16)
	all := "\x81\x7d" + small + "\x81\x7e\x00\x7e" + middle + "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00" + large + "\x81\x00" + "\x81\x05cut"
	var got [][]byte
	for message := range framesOf([]byte(all)) {
		got = append(got, message)
	}
	if want := small + "|" + middle + "|" + large + "|"; len(got) != 4 || string(bytes.Join(got, []byte("|"))) != want {
		t.Errorf("%d messages", len(got))
	}
	for range framesOf([]byte("\x81")) {
		t.Error("half a head is a message")
	}
}
