//go:build linux

package process

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// ceiling is how long anything may take on a machine that is busy.
const ceiling = 60 * time.Second

// bothWays runs a test with control groups and without.
func bothWays(t *testing.T, test func(t *testing.T)) {
	t.Run("scan", func(t *testing.T) {
		defer withoutCgroups()()
		test(t)
	})
	t.Run("cgroup", func(t *testing.T) {
		if start(t, "exit", "0").family.cgroup == "" {
			t.Skip("no agent can be started in a control group here")
		}
		test(t)
		if cgroupParent() == "" {
			t.Error("control groups were given up")
		}
	})
}

func withoutCgroups() (undo func()) {
	parent := cgroupParent
	cgroupParent = func() string { return "" }
	return func() { cgroupParent = parent }
}

// trial is one agent under test.
type trial struct {
	*Process
	t   *testing.T
	tag string
	dir string
}

// spec is one that plays a role.
func spec(t *testing.T, tag, role string, args ...string) Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Command: append([]string{self, "agent", tag, role}, args...),
		Dir:     t.TempDir(), MaxLine: 1 << 20, Env: []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"},
		Grace: Grace{Stdin: 100 * time.Millisecond, Term: 100 * time.Millisecond},
	}
}

// start starts an agent in a role, and sees to it that nothing of it survives the test.
func start(t *testing.T, role string, args ...string) *trial {
	t.Helper()
	tag := rand.Text()
	return startSpec(t, tag, spec(t, tag, role, args...))
}

// startPatiently is start of an agent that gets all the time to end by itself.
func startPatiently(t *testing.T, role string, args ...string) *trial {
	t.Helper()
	tag := rand.Text()
	s := spec(t, tag, role, args...)
	s.Grace.Stdin = ceiling
	return startSpec(t, tag, s)
}

func startSpec(t *testing.T, tag string, s Spec) *trial {
	t.Helper()
	p, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{Process: p, t: t, tag: tag, dir: s.Dir}
	t.Cleanup(func() { tr.End(); tr.nothingLeft() })
	return tr
}

// nothingLeft fails if any process has the tag or the marker, or is a dead child without a wait.
func (tr *trial) nothingLeft() {
	tr.t.Helper()
	if n := tr.Left(); n != 0 {
		tr.t.Errorf("%d processes are left", n)
	}
	if found := survivors(tr.tag, tr.family.id); len(found) > 0 {
		tr.t.Errorf("these survived: %q", found)
	}
	if n := unreaped(tr.t); n > 0 {
		tr.t.Errorf("%d processes are dead and were not reaped", n)
	}
	if tr.family.cgroup != "" {
		if _, err := os.Stat(string(tr.family.cgroup)); err == nil {
			tr.t.Error("the control group is left")
		}
	}
}

// unreaped counts dead children without a wait.
func unreaped(t *testing.T) (n int) {
	t.Helper()
	keep.do(func() {
		all, err := processes()
		if err != nil {
			t.Error(err)
		}
		for _, p := range all {
			agent := slices.ContainsFunc(keep.families, func(f *family) bool { return f.pid == p.pid })
			if p.parent == os.Getpid() && p.zombie && !agent {
				n++
			}
		}
	})
	return n
}

// survivors are the command lines of processes that have one of the words in it or in the environment.
func survivors(words ...string) (found []string) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range entries {
		if dir == "/proc/"+strconv.Itoa(os.Getpid()) {
			continue
		}
		command, _ := os.ReadFile(dir + "/cmdline")
		environ, _ := os.ReadFile(dir + "/environ")
		for _, word := range words {
			if bytes.Contains(command, []byte(word)) || bytes.Contains(environ, []byte(word)) {
				found = append(found, dir+" "+string(command))
			}
		}
	}
	return found
}

// all reads stdout to its end.
func (tr *trial) all() (string, error) {
	var b []byte
	for {
		var err error
		if b, err = tr.Next(b); err != nil {
			return string(b), err
		}
	}
}

// line reads one piece and fails if it is another.
func (tr *trial) line(want string) {
	tr.t.Helper()
	got, err := tr.Next(nil)
	if err != nil || string(got) != want+"\n" {
		tr.t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

// says fails if stdout as a whole is another.
func (tr *trial) says(want string) {
	tr.t.Helper()
	if got, err := tr.all(); got != want || err != io.EOF {
		tr.t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// eventually waits for something that happens elsewhere.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(ceiling); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what + " has not happened")
		}
	}
}

// within fails if f takes longer than anything may.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(ceiling):
		t.Fatal(what + " takes too long")
	}
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	return info.Size()
}

// stopped fails if a file still grows.
func stopped(t *testing.T, file string) {
	t.Helper()
	before := size(file)
	time.Sleep(50 * time.Millisecond) // five times what a writer that lives would need
	if after := size(file); after != before {
		t.Errorf("%s still grows: %d, %d bytes", file, before, after)
	}
}

// open counts descriptors and goroutines.
func open(t *testing.T) (descriptors, goroutines int) {
	t.Helper()
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(dir), runtime.NumGoroutine()
}
