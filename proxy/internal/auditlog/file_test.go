package auditlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCutLineIsEnded: a line that a crash has cut does not swallow the next one, and the chain goes on behind the last whole line.
func TestCutLineIsEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	whole := Chain([]string{`{"n":1}`, `{"n":2}`})
	if err := os.WriteFile(path, []byte(strings.Join(whole, "")+`{"n":3,"se`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, counted := logTo(t, path, 4)
	l.Write([]byte(`{"n":4}`))
	l.Close()
	lines := strings.SplitAfter(content(t, path), "\n")
	if len(lines) != 5 || lines[0] != whole[0] || lines[2] != "{\"n\":3,\"se\n" || lines[4] != "" {
		t.Fatalf("%q", lines)
	}
	if v, err := Verify(strings.NewReader(lines[0] + lines[1] + lines[3])); err != nil || v.Lines != 3 || v.Seq != 1 {
		t.Errorf("%+v, %v: %q", v, err, lines)
	}
	if counted.by["ok"] != 1 || len(counted.reports) != 0 {
		t.Errorf("%v %v", counted.by, counted.reports)
	}
}

// TestTwoWriters: where another process has written, the chain goes on behind its line.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	one, err := open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	other, err := open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer one.close()
	defer other.close()
	for i, f := range []*file{one, other, other, one, other} {
		if err := f.write([]byte(`{"n":1}`)); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
	}
	if v, err := Verify(strings.NewReader(content(t, path))); err != nil || v.Lines != 5 || v.Seq != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if int(other.size) != len(content(t, path)) {
		t.Errorf("%d bytes, want %d", other.size, len(content(t, path)))
	}
}

// TestFileWithoutChain: lines are appended as they are, to what is no regular file, too.
func TestFileWithoutChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for range 2 {
		f, err := open(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.write([]byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		f.close()
		if _, err := f.f.Stat(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the file is not closed: %v", err)
		}
	}
	if got := content(t, path); got != "{}\n{}\n" {
		t.Errorf("%q", got)
	}
	f, err := open(os.DevNull, true)
	if err != nil || f.regular {
		t.Fatalf("%v, regular %t", err, f.regular)
	}
	if err := f.write([]byte(`{}`)); err != nil || f.chain.seq != 1 {
		t.Errorf("%v, line %d", err, f.chain.seq)
	}
	f.close()
	out, err := open(Stdout, true)
	if err != nil || out.f != os.Stdout || out.regular {
		t.Errorf("%+v, %v", out, err)
	}
	out.close()
	if _, err := os.Stdout.Stat(); err != nil {
		t.Errorf("standard output was closed: %v", err)
	}
}

// TestFileThatCannotBe: no log is made, and one that is there keeps its file.
func TestFileThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(Config{Path: filepath.Join(dir, "none", "audit.jsonl")}); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("%v", err)
	}
	path := filepath.Join(dir, "audit.jsonl")
	l, counted := logTo(t, path, 4)
	l.openAgain(filepath.Join(dir, "none", "audit.jsonl"))
	if len(counted.reports) != 1 {
		t.Errorf("reports %v", counted.reports)
	}
	l.Write([]byte(`{"n":1}`))
	l.Close()
	l.Close()
	l.Write([]byte(`{"n":1}`))
	if v, err := Verify(strings.NewReader(content(t, path))); err != nil || v.Lines != 1 || counted.by["dropped"] != 1 || counted.by["ok"] != 1 {
		t.Errorf("%+v, %v, %v", v, err, counted.by)
	}
}
