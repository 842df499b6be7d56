package proxy

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// TestFileName: whatever a client calls its request, the name of the file has no other characters, and an end.
func TestFileName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"": "", "az-AZ-09": "az-AZ-09", "../x": "___x", "/:@[`{": "______", "a.b c\x00é": "a_b_c__",
		strings.Repeat("x", 48): strings.Repeat("x", 48), strings.Repeat("x", 49): strings.Repeat("x", 48),
	} {
		if got := fileName(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

// TestRecordingsWait: where the disk does not keep up, a run that finds no place is counted, and its memory given back.
func TestRecordingsWait(t *testing.T) {
	t.Parallel()
	results := map[string]int{}
	r := newRecordingFiles(zap.NewNop(), nil, func(result string) { results[result]++ })
	r.start.Do(func() { close(r.done) }) // nothing is written
	var last *runTape
	for range recordingsWaiting + 1 {
		last = r.tape(&routeTaps{cfg: new(config.Record)})
		last.add([]byte("{}\n"))
		r.keep(new(config.Record), "id", last)
	}
	if lines, _ := last.from(0); len(lines) != 0 || len(results) != 1 || results["dropped"] != 1 {
		t.Errorf("%v; the last has %d lines", results, len(lines))
	}
	r.close()
}
