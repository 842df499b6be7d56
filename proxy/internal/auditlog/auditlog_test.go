package auditlog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// counts are what a log has counted and reported.
type counts struct {
	mu      sync.Mutex
	by      map[string]int
	reports []error
}

func logTo(t *testing.T, path string, queue int) (*Log, *counts) {
	t.Helper()
	c := &counts{by: map[string]int{}}
	l, err := Open(Config{Path: path, Chain: true, Queue: queue,
		Count:  func(result string, n int) { c.mu.Lock(); c.by[result] += n; c.mu.Unlock() },
		Report: func(err error) { c.mu.Lock(); c.reports = append(c.reports, err); c.mu.Unlock() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, c
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestChain: what was written is verified, also over a restart and a rotation; each change, removal and exchange of lines is found.
func TestChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for i := range 2 { // and again after a restart
		l, _ := logTo(t, path, 16)
		for n := range 3 {
			l.Write([]byte(`{"n":` + strconv.Itoa(3*i+n) + `}`))
		}
		l.Close()
	}
	text := content(t, path)
	v, err := Verify(strings.NewReader(text))
	if err != nil || v.Lines != 6 || v.Seq != 1 || v.Prev != "" {
		t.Fatalf("%+v %v\n%s", v, err, text)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[5] += "\n"
	f := func(why, want string, changed []string) {
		t.Helper()
		if _, err := Verify(strings.NewReader(strings.Join(changed, ""))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", why, err, want)
		}
	}
	f("changed", "line 3 was changed", slices.Concat(lines[:2], []string{strings.Replace(lines[2], `"n":2`, `"n":7`, 1)}, lines[3:]))
	f("removed", "line 3 does not follow line 2: it is number 4 after number 2", slices.Concat(lines[:2], lines[3:]))
	f("moved", "line 2 does not follow", []string{lines[0], lines[2], lines[1]})
	f("added", "line 2 was changed", []string{lines[0], `{"n":9}` + "\n", lines[1]})
	for i := range text { // no byte but the line ends can change
		changed := []byte(text)
		if changed[i] ^= 1; text[i] == '\n' {
			continue
		}
		if _, err := Verify(strings.NewReader(string(changed))); err == nil {
			t.Fatalf("byte %d can be changed", i)
		}
	}
}

// TestChainOfTwo: two processes, as after a hot restart, write one chain; lines that are removed under them are missed.
func TestChainOfTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	first, err := open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	second, err := open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer first.close()
	defer second.close()
	say := func(o *file, n int) {
		t.Helper()
		if err := o.write([]byte(`{"n":` + strconv.Itoa(n) + `}`)); err != nil {
			t.Fatal(err)
		}
	}
	say(first, 1)
	say(second, 2)
	say(second, 3)
	say(first, 4)
	text := content(t, path)
	if v, err := Verify(strings.NewReader(text)); err != nil || v.Lines != 4 {
		t.Fatalf("%+v %v\n%s", v, err, text)
	}
	if err := os.Truncate(path, int64(strings.Index(text, "\n")+1)); err != nil {
		t.Fatal(err)
	}
	say(first, 5)
	if _, err := Verify(strings.NewReader(content(t, path))); err == nil {
		t.Error("lines that were removed are not missed")
	}
}

// TestRotation: after the file was moved away, lines go to a new one, which goes on with the chain.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, _ := logTo(t, path, 16)
	l.Write([]byte(`{"n":1}`))
	for len(content(t, path)) == 0 {
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	l.Reopen(path)
	for {
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	l.Write([]byte(`{"n":2}`))
	l.Close()
	old, err := Verify(strings.NewReader(content(t, path+".1")))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(strings.NewReader(content(t, path))); err != nil || v.Seq != 2 || v.Prev != old.Last {
		t.Errorf("%+v after %+v: %v", v, old, err)
	}
}

// TestLost: lines that do not fit, or cannot be written, are counted, and the next line says how many; a full disk is reported once.
func TestLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full: ", err)
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, c := logTo(t, path, 1)
	l.Close() // from here on, the test is the goroutine
	good, err := open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	l.out = &file{f: full, chained: true}
	l.write([]byte(`{"n":1}`))
	l.write([]byte(`{"n":2}`))
	l.out = good
	l.Write([]byte(`{"n":3}`)) // closed: no room
	l.write([]byte(`{"n":4}`))
	if got := content(t, path); !strings.HasPrefix(got, `{"n":4,"lost":3,"seq":1,"prev":""`) {
		t.Errorf("the file has %s", got)
	}
	good.close()
	full.Close()
	if c.by["failed"] != 2 || c.by["dropped"] != 1 || c.by["ok"] != 1 || len(c.reports) != 1 {
		t.Errorf("%+v", c)
	}
	if len(c.reports) == 1 && !strings.Contains(c.reports[0].Error(), "no space left") {
		t.Error(errors.Join(c.reports...))
	}
}
