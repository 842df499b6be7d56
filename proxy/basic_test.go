package proxy

import (
	"testing"
)

func TestTranslatesAStream(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	resp, body := r.post("/run", `{"say":"hi"}`)
	if resp.StatusCode != 200 || body != smallRunOut {
		t.Fatalf("status %d\n%s", resp.StatusCode, body)
	}
	r.awaitEnds(1)
}
