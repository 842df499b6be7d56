package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

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

// TestRecordingsFail: a file that cannot be written is counted as such, and the memory of its run given back.
func TestRecordingsFail(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	if err := os.MkdirAll(filepath.Join(full, "0"+recordingSuffix, "kept"), 0o700); err != nil { // what cannot be removed
		t.Fatal(err)
	}
	for dir, c := range map[string]struct{ want, says string }{file: {"failed", "mkdir "}, full: {"failed", "remove "}, t.TempDir(): {want: "written"}} {
		want := c.want
		var results []string
		core, logs := observer.New(zap.InfoLevel)
		r := newRecordingFiles(zap.New(core), nil, func(result string) { results = append(results, result) })
		cfg := &config.Record{Dir: dir, MaxFiles: 1}
		tape := r.tape(&routeTaps{cfg: cfg})
		tape.add([]byte("{}\n"))
		r.keep(cfg, "id", tape)
		r.close()
		if len(results) != 1 || results[0] != want || r.memory.used.Load() != 0 {
			t.Errorf("%v, and %d bytes are taken; want %s", results, r.memory.used.Load(), want)
		}
		said := logs.FilterMessage("a recording cannot be written").All()
		if len(said) == 1 != (want == "failed") || len(said) == 1 && !strings.HasPrefix(fmt.Sprint(said[0].ContextMap()["error"]), c.says) {
			t.Errorf("%s: the log says %v", want, logs.All())
		}
	}
}

// TestRecordingsThin: all files beyond those that may be kept are removed, the oldest first, and no others.
func TestRecordingsThin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"note.txt"}
	for i := range 5 {
		names = append(names, strconv.Itoa(i)+recordingSuffix)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	job := recordingToKeep{cfg: &config.Record{Dir: dir, MaxFiles: 2}}
	if err := job.thin(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range left {
		got = append(got, e.Name())
	}
	if want := "3" + recordingSuffix + " 4" + recordingSuffix + " note.txt"; strings.Join(got, " ") != want {
		t.Errorf("left are %v, want %s", got, want)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := job.thin(); err == nil {
		t.Error("a folder that is gone is no failure")
	}
}

// TestWhichRunsAreRecorded: of so many runs the first is recorded, and each time as many later the next one.
func TestWhichRunsAreRecorded(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	for every, want := range map[int]string{1: "r1 r2 r3 r4 r5", 2: "r1 r3 r5", 3: "r1 r4", 6: "r1"} {
		dir := t.TempDir()
		r := start(t, simple(a.url(), "", "", fmt.Sprintf("client: twin\nrecord: {dir: %s, every: %d}\n", dir, every)))
		for i := range 5 {
			r.post("/run", "{}", fmt.Sprintf("X-Request-Id: r%d", i+1))
			r.awaitEnds(i + 1)
		}
		r.close()
		files, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is no bad one
		var got []string
		for _, file := range files {
			got = append(got, strings.TrimSuffix(file[len(file)-len("r1"+recordingSuffix):], recordingSuffix))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("every %d: %v, want %s", every, got, want)
		}
	}
}
