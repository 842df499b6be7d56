//go:build linux

package process

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	// Linux 6.18, `cat /proc/N/stat` of a program named "a) b (c", shortened behind the memory.
	line := "4711 (a) b (c) Z 12 34 56 0 -1 4194304 92 0 0 0 0 0 0 0 20 0 1 0 123456 2523136 247 18446744073709551615"
	got, err := parseStat(4711, []byte(line))
	want := proc{
		ident: ident{pid: 4711, start: 123456}, parent: 12, group: 34, session: 56,
		zombie: true, memory: 247 * int64(os.Getpagesize()),
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, line := range []string{"", "1 (x", "1 (x) S 1 2"} {
		if _, err := parseStat(1, []byte(line)); err == nil {
			t.Errorf("%q was understood", line)
		}
	}
}

func TestCgroupDir(t *testing.T) {
	const (
		second = "35 25 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		first  = "36 25 0:31 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
		hybrid = "37 25 0:32 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
	)
	for _, c := range []struct{ own, mounts, want string }{
		{"0::/system.slice/sabir.service\n", second, "/sys/fs/cgroup/system.slice/sabir.service"},
		{"1:cpu:/a\n0::/b\n", first + hybrid, "/sys/fs/cgroup/unified/b"},
		{"1:cpu:/a\n", first, ""},
		{"0::/b\n", first, ""},
		{"", "", ""},
	} {
		if got := cgroupDir(c.own, c.mounts); got != c.want {
			t.Errorf("%q: got %q, want %q", c.own, got, c.want)
		}
	}
}
