//go:build linux

package process

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStartFails(t *testing.T) {
	parent := cgroupParent()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain := file("plain", "#!/bin/sh\n", 0o600)
	junk := file("junk", "no program", 0o700)
	orphan := file("orphan", "#!/no/such/interpreter\n", 0o700)
	path := []string{"PATH=/no/such/directory:relative:" + dir}
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"no command":      {Spec{Dir: dir, MaxLine: 1}, "no command"},
		"empty command":   {Spec{Command: []string{""}, Dir: dir, MaxLine: 1}, "no command"},
		"no limit":        {Spec{Command: []string{"sh"}, Dir: dir}, "no limit"},
		"no directory":    {Spec{Command: []string{"sh"}, MaxLine: 1}, "no working directory"},
		"lost directory":  {Spec{Command: []string{"sh"}, Dir: dir + "/lost", MaxLine: 1}, "no such file or directory"},
		"other directory": {Spec{Command: []string{"sh"}, Dir: plain, MaxLine: 1}, "is no directory"},
		"no PATH":         {Spec{Command: []string{"sh"}, Dir: dir, MaxLine: 1}, "has no PATH"},
		"not in PATH":     {Spec{Command: []string{"lost"}, Dir: dir, Env: path, MaxLine: 1}, "cannot find the program lost in PATH"},
		"no program":      {Spec{Command: []string{dir + "/lost"}, Dir: dir, MaxLine: 1}, "no such file or directory"},
		"relative":        {Spec{Command: []string{"./lost"}, Dir: dir, MaxLine: 1}, dir + "/lost"},
		"directory":       {Spec{Command: []string{dir}, Dir: dir, MaxLine: 1}, "is a directory"},
		"not executable":  {Spec{Command: []string{plain}, Dir: dir, MaxLine: 1}, "not executable"},
		"so in PATH":      {Spec{Command: []string{"plain"}, Dir: dir, Env: path, MaxLine: 1}, "not executable"},
		"junk":            {Spec{Command: []string{junk}, Dir: dir, MaxLine: 1}, "neither a program"},
		"interpreter":     {Spec{Command: []string{orphan}, Dir: dir, MaxLine: 1}, "interpreter is missing"},
		"NUL":             {Spec{Command: []string{"/bin/sh", "a\x00b"}, Dir: dir, MaxLine: 1}, "invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			descriptors, _ := open(t)
			p, err := Start(c.spec)
			if err == nil {
				p.End()
				t.Fatal("it has started")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, which does not say %q", err, c.want)
			}
			eventually(t, "the end of all descriptors", func() bool { now, _ := open(t); return now <= descriptors })
		})
	}
	if cgroupParent() != parent {
		t.Error("a failure of the program was taken for one of control groups")
	}
}

func TestProgramRelativeToItsDirectory(t *testing.T) {
	tag := rand.Text()
	s := spec(t, tag, "")
	if err := os.WriteFile(filepath.Join(s.Dir, "agent"), []byte("#!/bin/sh\necho here $0 $1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Command = []string{"./agent", tag}
	startSpec(t, tag, s).says("here " + filepath.Join(s.Dir, "agent") + " " + tag + "\n")
}

func TestOnlyWhatIsGiven(t *testing.T) {
	t.Setenv("SECRET", "of Sabir's own")
	tag := rand.Text()
	s := spec(t, tag, "environ")
	s.Env = []string{"A=1", "SABIR_PROCESS=of another", "B=2"}
	p := startSpec(t, tag, s)
	p.says("A=1 B=2 SABIR_PROCESS=" + p.family.id + "\n")

	s = spec(t, tag, "where")
	startSpec(t, tag, s).says(s.Dir + "\n")
}

// TestDescriptors has a file open as if Sabir had been started with it.
func TestDescriptors(t *testing.T) {
	fd, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := closeOnExec(); err != nil {
		t.Fatal(err)
	}
	start(t, "files").says("0 1 2 \n")
}

func TestLastVariableCounts(t *testing.T) {
	s := Spec{Env: []string{"PATH=a", "PATHS=b", "PATH=c"}}
	if v, ok := s.variable("PATH"); v != "c" || !ok {
		t.Errorf("got %q, %v", v, ok)
	}
}
