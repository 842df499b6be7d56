package proxy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/recording"
)

// TestRequestsInARecording: a body that is too long is shown by its shape, with the length that it had; one that is not, whole. The query of
// a path is left out.
func TestRequestsInARecording(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		size  int
		bytes int
	}{
		"as long as may be": {strings.Repeat("1", 10), 10, 0},
		"too long":          {strings.Repeat("1", 11), 11, 11},
		"cut":               {strings.Repeat("1", 11), 5000, 5000},
	} {
		tape := &runTape{max: 1 << 20, shared: &memoryBudget{limit: 1 << 20}, filter: recording.Filter{Max: 10}}
		x := &tap{began: time.Now(), tapes: []*runTape{tape}}
		x.request(recording.Client, "POST", "/run?key=k", []byte(c.body), c.size)
		lines, _ := tape.from(0)
		var got recording.Line
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		if err := json.Unmarshal(lines[0], &got); err != nil {
			t.Fatal(err)
		}
		if got.Type != recording.TypeRequest || got.Side != recording.Client || got.Method != "POST" || got.Path != "/run" || got.Bytes != c.bytes {
			t.Errorf("%s: %+v", name, got)
		}
		if has := strings.Contains(string(lines[0]), c.body); has != (c.bytes == 0) {
			t.Errorf("%s: its body stands there %t: %s", name, has, lines[0])
		}
	}
}
