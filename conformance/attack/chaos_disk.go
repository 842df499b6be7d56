//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// smallDisk is a folder whose disk can be full: a file system of its own where this process may mount one. Elsewhere a limit on the size
// of files, for the process that is tried, stands for it.
type smallDisk struct {
	dir     string
	mounted bool
	process *process
}

const diskSize = 4 << 20

func newSmallDisk(dir string) (*smallDisk, error) {
	d := &smallDisk{dir: filepath.Join(dir, "disk")}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, err
	}
	d.mounted = unix.Mount("tmpfs", d.dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)) == nil
	return d, nil
}

func (d *smallDisk) path(name string) string { return filepath.Join(d.dir, name) }

// fill leaves no room.
func (d *smallDisk) fill() error {
	if !d.mounted {
		return d.limit(1)
	}
	f, err := os.OpenFile(d.path("filler"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for page := make([]byte, 512); ; {
		if _, err := f.Write(page); err != nil {
			return nil // it is full
		}
	}
}

// empty makes room again.
func (d *smallDisk) empty() error {
	if !d.mounted {
		return d.limit(unix.RLIM_INFINITY)
	}
	return os.Remove(d.path("filler"))
}

// limit sets how large files of the process can become.
func (d *smallDisk) limit(size uint64) error {
	return unix.Prlimit(d.process.pid(), unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil)
}

func (d *smallDisk) close() {
	if d.mounted {
		_ = unix.Unmount(d.dir, unix.MNT_DETACH)
	}
	_ = os.RemoveAll(d.dir)
}

func (d *smallDisk) String() string {
	if d.mounted {
		return fmt.Sprintf("a tmpfs of %s", mib(diskSize))
	}
	return "a limit on the size of files, as nothing can be mounted here"
}

// diskFull lets runs end while nothing can be written.
func diskFull(t *trial) {
	d, err := newSmallDisk(t.suite.dir)
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer d.close()
	a, err := newAgent()
	if err == nil {
		err = a.also("unix", d.path("agent.sock"))
	}
	if err != nil {
		t.fault("%v", err)
		return
	}
	w := t.chaosAt(a, chaosConfig{
		top:      fmt.Sprintf("audit: {path: '%s', chain: true}\n", d.path("audit.jsonl")),
		upstream: fmt.Sprintf(", socket: '%s'", d.path("agent.sock")),
		route:    fmt.Sprintf(", record: {dir: '%s'}", d.path("recordings")),
	}.text(a), processOptions{})
	if w == nil {
		return
	}
	d.process = t.rig.process
	t.figure("disk", "%v", d)
	t.fillUnderStreams(d)
	w.judge(t)
	t.judgeDisk(d)
	t.rig.close()
}

// fillUnderStreams has streams that begin before the disk is full, while it is, and after that.
func (t *trial) fillUnderStreams(d *smallDisk) {
	n := t.pick(30, 150)
	during := t.newCrowd(t.pick(20, 60), 100*time.Millisecond)
	during.begin(n)
	if err := d.fill(); err != nil {
		t.fault("the disk cannot be filled: %v", err)
	}
	full := t.newCrowd(5, 10*time.Millisecond)
	full.begin(n)
	full.judge("on a full disk")
	t.listensOnFullDisk(d)
	during.judge("as it fills")
	if err := d.empty(); err != nil {
		t.fault("the disk cannot be emptied: %v", err)
	}
	after := t.newCrowd(5, 10*time.Millisecond)
	after.begin(n)
	after.judge("when there is room again")
}

// listensOnFullDisk starts a process whose own socket is on the full disk: it serves, or says why not, at once.
func (t *trial) listensOnFullDisk(d *smallDisk) {
	config := d.dir + ".yaml"
	text := fmt.Sprintf("listen: 'unix:%s'\nadmin: 127.0.0.1:0\nupstreams: {a: {url: 'http://127.0.0.1:1/', dialect: agui}}\nroutes: [{path: /a, upstream: a, client: agui}]\n", d.path("own.sock"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.fault("%v", err)
		return
	}
	defer os.Remove(config)
	said := new(logBook)
	cmd := exec.Command(t.suite.binary, "serve", "--config", config)
	dieWithParent(cmd)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.fault("%v", err)
		return
	}
	if !eventually(t.ctx, 20*time.Second, func() bool {
		return said.contains("listens on") || said.contains("Error:") || said.contains("own.sock")
	}) {
		t.fault("with a socket on a full disk it neither serves nor says why: %s", said.all())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.count(1)
}

// judgeDisk compares what was written with what was counted.
func (t *trial) judgeDisk(d *smallDisk) {
	var m map[string]float64
	var err error
	eventually(t.ctx, 10*time.Second, func() bool { // the last may still be written
		m, err = t.rig.process.metrics()
		return err == nil && m["sabir_audit_lines_total"] == m["sabir_streams_total"] && m["sabir_recordings_total"] == m["sabir_streams_total"]
	})
	if err != nil {
		t.fault("metrics: %v", err)
		return
	}
	ok, failed := m[`sabir_audit_lines_total{result="ok"}`], m[`sabir_audit_lines_total{result="failed"}`]+m[`sabir_audit_lines_total{result="dropped"}`]
	written, unwritten := m[`sabir_recordings_total{result="written"}`], m[`sabir_recordings_total{result="failed"}`]+m[`sabir_recordings_total{result="dropped"}`]
	t.figure("lines of the audit", "%.0f, %.0f lost", ok, failed)
	t.figure("recordings", "%.0f, %.0f lost", written, unwritten)
	if failed == 0 || unwritten == 0 {
		t.fault("the disk was full, and %.0f lines and %.0f recordings are counted as lost", failed, unwritten)
	}
	if runs := m["sabir_streams_total"]; ok+failed != runs || written+unwritten != runs {
		t.fault("%.0f runs, and %.0f lines and %.0f recordings", runs, ok+failed, written+unwritten)
	}
	lines, missing := t.auditLines(d.path("audit.jsonl"))
	if float64(lines) != ok || float64(missing) != failed {
		t.fault("the audit has %d lines and says that %d are missing; counted were %.0f and %.0f", lines, missing, ok, failed)
	}
	if files := t.recordingsOf(d.path("recordings")); float64(files) != written {
		t.fault("there are %d recordings, and %.0f were counted", files, written)
	}
}

// auditLines counts the lines of an audit, and those that it says are missing. Its chain must verify.
func (t *trial) auditLines(path string) (lines, missing int) {
	if said, err := exec.Command(t.suite.binary, "audit", "verify", path).CombinedOutput(); err != nil {
		t.fault("the chain of the audit does not verify: %v: %s", err, said)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.fault("%v", err)
	}
	for line := range bytes.Lines(data) {
		var l struct{ Lost int }
		if err := json.Unmarshal(line, &l); err != nil {
			t.fault("a line of the audit is no JSON: %v: %s", err, line)
		}
		lines, missing = lines+1, missing+l.Lost
	}
	return lines, missing
}

// recordingsOf counts the recordings in a folder, which must be whole.
func (t *trial) recordingsOf(dir string) (n int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.fault("%v", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sabir.jsonl") {
			t.fault("%s is left behind in the folder of recordings", e.Name())
			continue
		}
		n++
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !bytes.HasSuffix(data, []byte("\n")) {
			t.fault("%s is no whole recording: %v", e.Name(), err)
		}
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				t.fault("%s has a line that is no JSON", e.Name())
			}
		}
	}
	return n
}
