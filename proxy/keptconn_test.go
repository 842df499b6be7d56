package proxy

import (
	"errors"
	"net/http"
	"os"
	"testing"
	"time"
)

// TestKeptConnection: a connection without a request lasts for longer than a request may take to come, also behind a run, whole or streamed.
func TestKeptConnection(t *testing.T) {
	t.Parallel()
	const read = 2 * time.Second
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "timeouts: {read: "+read.String()+"}", "", "client: openai-chat\nrequests: {mode: translate}"))
	for name, body := range map[string]string{
		"a stream": `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`,
		"whole":    `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
		"refused":  `no JSON`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := r.dial()
			asks := func() int {
				c.ask("POST", "/run", body)
				resp, _ := c.whole()
				return resp.StatusCode
			}
			want := http.StatusOK
			if name == "refused" {
				want = http.StatusBadRequest
			}
			for range 2 {
				if got := asks(); got != want {
					t.Fatalf("status %d", got)
				}
				_ = c.SetReadDeadline(time.Now().Add(read + read/2))
				if b, err := c.br.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("the connection says %q, %v", b, err)
				}
				_ = c.SetReadDeadline(time.Time{})
			}
			if got := asks(); got != want {
				t.Errorf("status %d behind a pause", got)
			}
		})
	}
}
