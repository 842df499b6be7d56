package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

func gzipped(t *testing.T, body string) string {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// TestCodedBodiesOfOtherRequests: bodies of requests that are no turn, or that name in their body what they ask for, are read as those of turns
// are, within the same limits.
func TestCodedBodiesOfOtherRequests(t *testing.T) {
	t.Parallel()
	const coded = "Content-Encoding: gzip"
	a := newAgent(t, streaming(smallRun))
	limits := "limits: {request_body: 64KiB, bodies: 96KiB}\n"
	r := start(t, strings.Replace(simple(a.url(), limits, "", "client: langgraph\nrequests: {mode: translate}\n"), "path: /run", "path: /run/*", 1))
	r.call(t, 200, coded, "POST", "/run/threads", gzipped(t, `{"thread_id":"t1","metadata":{"by":"me"}}`), `"thread_id":"t1"`, `"by":"me"`)
	r.call(t, 200, coded, "POST", "/run/threads/search", gzipped(t, `{"metadata":{"by":"you"}}`), "[]")
	for i, codings := range []string{"identity, gzip", "GZIP,", "identity\r\n" + coded, "gzip\r\nContent-Encoding: identity"} {
		name := fmt.Sprintf(`"t1-%d"`, i)
		r.call(t, 200, "Content-Encoding: "+codings, "POST", "/run/threads", gzipped(t, `{"thread_id":`+name+`}`), name)
	}
	r.call(t, 415, coded+"\r\n"+coded, "POST", "/run/threads", gzipped(t, `{"thread_id":"t2"}`), "content coding")
	r.call(t, 415, "Content-Encoding: x-new", "POST", "/run/threads", `{"thread_id":"t2"}`, "content coding")
	r.call(t, 415, coded, "POST", "/run/threads", `{"thread_id":"t2"}`, "content coding")
	r.call(t, 415, coded, "POST", "/run/threads", gzipped(t, `{"thread_id":"`+strings.Repeat("x", 65<<10)+`"}`), "content coding")
	r.bodies.Used.Add(64 << 10) // of another client
	r.call(t, 503, coded, "POST", "/run/threads", gzipped(t, `{"thread_id":"`+strings.Repeat("x", 48<<10)+`"}`), "too_many_bodies")
	r.bodies.Used.Add(-64 << 10)
	await(t, "the memory of the bodies", func() bool { return r.bodies.Used.Load() == 0 })
}

// TestCodedBodiesOfEnvelopes: a request that names its operation in its body may have a content coding, and so may an editor's line.
func TestCodedBodiesOfEnvelopes(t *testing.T) {
	t.Parallel()
	const coded = "Content-Encoding: gzip"
	a := newAgent(t, streaming(smallRun))
	kit := below(t, a, "agui")
	kit.call(t, 200, coded, "POST", "/run", gzipped(t, `{"method":"info"}`), `"agents"`)
	kit.call(t, 200, coded, "POST", "/run", gzipped(t, `{"method":"agent/run","params":{"agentId":"a"},"body":`+aguiHello+`}`), "RUN_FINISHED")
	editor := start(t, simple(a.url(), "", "", "client: acp\nrequests: {mode: translate}\n"))
	editor.call(t, 200, coded, "POST", "/run", gzipped(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`), `"protocolVersion":1`)
}

// TestCodingsOfAnswers: identity is no coding, wherever it stands, and an answer that cannot be undone says in the log what to do about it.
func TestCodingsOfAnswers(t *testing.T) {
	t.Parallel()
	for coding, ending := range map[string]string{
		"gzip": "done", "identity, gzip": "done", "GZIP,identity": "done", "gzip,": "done", " , ": "done", "identity": "done",
		"gzip/identity": "done", "identity/gzip": "done", "br/gzip": "upstream_malformed", "gzip/gzip": "upstream_malformed", // in two fields
		"gzip, br": "upstream_malformed", "br": "upstream_malformed", "gzip, gzip": "upstream_malformed", "zstd": "upstream_malformed",
	} {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			body := smallRun
			if strings.Contains(strings.ToLower(coding), "gzip") {
				body = gzipped(t, smallRun)
			}
			a := newAgent(t, func(p *peer) {
				for p.request() != nil {
					p.ok("Content-Encoding: " + strings.ReplaceAll(coding, "/", "\r\nContent-Encoding: "))
					p.finish(body)
				}
			})
			r := start(t, simple(a.url(), "", "", "client: twin\n")+"  - {path: /same, upstream: agent, client: native}\n")
			for n, path := range []string{"/run", "/same"} {
				r.post(path, "{}")
				end := r.awaitEnds(n + 1)
				named := strings.HasSuffix(toString(end["cause"]), ": "+strings.NewReplacer(" ", "", "/", ",").Replace(coding))
				if bad := ending != "done"; end["ending"] != ending || bad && !named || bad != strings.Contains(toString(end["hint"]), "compress") {
					t.Errorf("%s: %v", path, end)
				}
			}
		})
	}
}

// TestWrongCodingOfAnswer: an answer that is not compressed as it says has a hint about that.
func TestWrongCodingOfAnswer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Encoding: gzip")
		p.finish(smallRun)
	})
	r := start(t, simple(a.url(), "", "", "client: agui\n"))
	r.post("/run", aguiHello)
	if end := r.awaitEnds(1); end["ending"] != "upstream_malformed" || !strings.Contains(toString(end["hint"]), "compress") {
		t.Errorf("%v", end)
	}
}

// TestCodedRefusals: what a server says in a refusal is read whatever its content coding, and also where a part of it is all there is.
func TestCodedRefusals(t *testing.T) {
	t.Parallel()
	said := gzipped(t, `{"error":{"code":"model_gone","message":"Not the model."}}`)
	f := func(body, want string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			p.request()
			p.answer("422 No", "Content-Type: application/json", "Content-Encoding: gzip", "Transfer-Encoding: chunked")
			p.finish(body)
		})
		r := start(t, simple(a.url(), "log: {upstream_errors: true}\n", "", "client: agui\nerrors: {expose: true}\n"))
		_, shown := r.post("/run", aguiHello)
		end := r.awaitEnds(1)
		if toString(end["agent_code"]) != want || !strings.Contains(shown, "Not the model.") || !strings.Contains(toString(end["cause"]), "Not the model.") {
			t.Errorf("%v: %s", end, shown)
		}
		r.close()
	}
	f(said, "model_gone")
	f(said[:len(said)-4], "model_gone")
	f(gzipped(t, `{"error":{"code":"model_gone","message":"Not the model."}}`+strings.Repeat(" ", 1<<20)), "model_gone")
}
