package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cgroup is the directory of an agent's control group; "" if there is none. A Sabir that is killed leaves empty ones behind:
// they are removed with its own group, by whoever has made that.
type cgroup string

// cgroupParent is where control groups can be made, as far as that is known before one is used.
var cgroupParent = sync.OnceValue(findCgroup)

// findCgroup returns the control group of Sabir itself, "" if there is no second version of them.
func findCgroup() string {
	own, _ := os.ReadFile("/proc/self/cgroup")
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	return cgroupDir(string(own), string(mounts))
}

// cgroupDir reads the formats of cgroups(7) and proc_pid_mountinfo(5).
func cgroupDir(own, mounts string) string {
	for line := range strings.Lines(own) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for mount := range strings.Lines(mounts) {
			at, kind, _ := strings.Cut(mount, " - ")
			fields := strings.Fields(at)
			if strings.HasPrefix(kind, "cgroup2 ") && len(fields) > 4 {
				return filepath.Join(fields[4], path)
			}
		}
	}
	return ""
}

// newCgroup makes a control group that can be killed, if Sabir may.
func newCgroup(id string) cgroup {
	parent := cgroupParent()
	if parent == "" {
		return ""
	}
	c := cgroup(filepath.Join(parent, "sabir-"+id))
	if os.Mkdir(string(c), 0o755) != nil {
		return ""
	}
	if unix.Access(c.file("cgroup.kill"), unix.W_OK) != nil {
		c.remove()
		return ""
	}
	return c
}

func (c cgroup) file(name string) string { return filepath.Join(string(c), name) }

// kill kills all members. None of them can escape by forking meanwhile.
func (c cgroup) kill() {
	if c != "" {
		_ = os.WriteFile(c.file("cgroup.kill"), []byte("1"), 0)
	}
}

// remove removes the group with those that its members have made in it. The kernel needs a moment after the last member.
func (c cgroup) remove() {
	if c == "" {
		return
	}
	for pause := time.Millisecond; pause < time.Second; pause *= 2 {
		var dirs []string
		_ = filepath.WalkDir(string(c), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return nil
		})
		for i := len(dirs) - 1; i >= 0; i-- { // the inner ones first
			_ = unix.Rmdir(dirs[i])
		}
		if _, err := os.Lstat(string(c)); err != nil {
			return
		}
		time.Sleep(pause)
	}
}
