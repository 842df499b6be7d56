package bench_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/bench"
)

// TestRecording takes a recording for what it is, whole, and finds out one that is not.
func TestRecording(t *testing.T) {
	d, err := adapters.Lookup("agui")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := bench.LoadRecording("../adapters", d, "mastra-1.71.0")
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Join(rec.Pieces, nil)
	if err := rec.Check(d, body); err != nil {
		t.Error(err)
	}
	f := func(what string, body []byte) {
		t.Helper()
		if rec.Check(d, body) == nil {
			t.Errorf("%s is taken for the recording", what)
		}
	}
	f("a stream without its last record", bytes.Join(rec.Pieces[:len(rec.Pieces)-1], nil))
	f("a stream with another answer", bytes.Replace(body, []byte("Oslo"), []byte("Rome"), 1))
	f("no stream", nil)
	if _, err := bench.LoadRecording("../adapters", d, "nothing"); err == nil {
		t.Error("a recording that does not exist was loaded")
	}
}
