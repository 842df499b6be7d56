//go:build linux

package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain plays an agent if it is started as one: <test binary> agent <tag> <role> <arguments>. The tag shows which test
// a process belongs to, also where the environment was cleared.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "agent" {
		os.Exit(play(os.Args[3], os.Args[4:])) //nolint:forbidigo // it is the main of the agent
	}
	m.Run() // the caller exits with its result
}

var roles = map[string]func(args []string) int{
	"echo":    echo,
	"deaf":    func([]string) int { ignoreEndings(); say("ready"); return forever() },
	"write":   func(args []string) int { ignoreEndings(); return write(args[0]) },
	"session": func(args []string) int { own(os.Environ(), "write", args...); say("ready"); return untilEOF() },
	"daemon":  func(args []string) int { own([]string{}, "middle", args...); say("ready"); return untilEOF() },
	"middle":  func(args []string) int { own([]string{}, "write", args...); return 0 },
	"grumble": grumble,
	"say":     func(args []string) int { out(strings.Join(args, "")); return 0 },
	"exit":    func(args []string) int { n, _ := strconv.Atoi(args[0]); return n },
	"endless": endless,
	"closed":  func([]string) int { os.Stdout.Close(); return untilEOF() },
	"leave":   leave,
	"files":   files,
	"last":    func([]string) int { untilEOF(); say("last words"); return 0 },
	"environ": func([]string) int { say(strings.Join(os.Environ(), " ")); return 0 },
	"where":   func([]string) int { dir, _ := os.Getwd(); say(dir); return 0 },
	"sabir":   beSabir,
	"dieInside": func([]string) int {
		out("whole\nhalf")
		return int(fail(syscall.Kill(os.Getpid(), syscall.SIGKILL)))
	},
	"orphans": orphans,
	"holder":  func(args []string) int { keepOutput("keeper", args); say("ready"); return untilEOF() },
	"keeper":  func(args []string) int { keepOutput("write", args); return 0 },
}

func play(role string, args []string) int { return roles[role](args) }

func out(text string) { _, _ = os.Stdout.WriteString(text) }

func say(text string) { out(text + "\n") }

func fail(err error) (code byte) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

func ignoreEndings() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT) }

func forever() int { time.Sleep(time.Hour); return 0 }

func untilEOF() int { _, _ = io.Copy(io.Discard, os.Stdin); return 0 }

func echo([]string) int {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		say(in.Text())
	}
	return 0
}

// write says again and again that it is alive, for at most a minute.
func write(file string) int {
	for range 6000 {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 1 // the test is over
		}
		_, _ = f.WriteString(".")
		f.Close()
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// own starts a role in a session of its own and does not wait for it.
func own(env []string, role string, args ...string) {
	c := exec.Command(os.Args[0], append([]string{"agent", os.Args[2], role}, args...)...)
	c.Env = env
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	fail(c.Start())
}

// grumble writes 100 MB to stderr: short lines, lines without end, bytes that are no text.
func grumble([]string) int {
	block := bytes.Repeat([]byte("grumble \xff\xfe é\n"), 1<<12)
	block = append(block, bytes.Repeat([]byte("é"), 1<<14)...)
	for n := 0; n < 100<<20; n += len(block) {
		os.Stderr.Write(block)
	}
	os.Stderr.WriteString("\nlast")
	say("done")
	return 0
}

// endless says a line of a gigabyte.
func endless([]string) int {
	block := bytes.Repeat([]byte("x"), 1<<20)
	for range 1 << 10 {
		if _, err := os.Stdout.Write(block); err != nil {
			return 1
		}
	}
	return 0
}

// leave exits while a process in another session holds its stdout.
func leave(args []string) int {
	c := exec.Command(os.Args[0], "agent", os.Args[2], "write", args[0])
	c.Stdout = os.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	say("leaving")
	return int(fail(c.Start()))
}

// keepOutput is own with an empty environment and the output of its caller.
func keepOutput(role string, args []string) {
	c := exec.Command(os.Args[0], append([]string{"agent", os.Args[2], role}, args...)...)
	c.Env, c.Stdout, c.Stderr = []string{}, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	fail(c.Start())
}

// files lists the open descriptors, and which of the first three do not block.
func files([]string) int {
	dir, _ := os.ReadDir("/proc/self/fd")
	for _, f := range dir {
		to, err := os.Readlink("/proc/self/fd/" + f.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/sys/") {
			out(f.Name() + " ")
		}
	}
	for fd := range 3 {
		info, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
		var pos, flags int
		fmt.Sscanf(string(info), "pos: %d\nflags: %o", &pos, &flags)
		if flags&syscall.O_NONBLOCK != 0 {
			out(strconv.Itoa(fd) + " does not block ")
		}
	}
	say("")
	return 0
}

// beSabir runs an agent and is killed meanwhile. It would leave a control group behind.
func beSabir([]string) int {
	withoutCgroups()
	p, err := Start(Spec{Command: []string{os.Args[0], "agent", os.Args[2], "deaf"}, Dir: "/", MaxLine: 1 << 10, Env: []string{}})
	if fail(err) != 0 {
		return 1
	}
	line, _ := p.Next(nil)
	out(string(line))
	return forever()
}

// orphans leaves ten behind that end at once.
func orphans([]string) int {
	for range 10 {
		fail(exec.Command("sh", "-c", "sleep 0.01 & exit").Run())
	}
	say("ready")
	return untilEOF()
}
