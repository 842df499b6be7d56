package proxy

import (
	"bytes"
	"compress/gzip"
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
