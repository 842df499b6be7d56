package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// process is a running "sabir serve".
type process struct {
	cmd         *exec.Cmd
	addr, admin string
	config      string // its file
	log         *logBook
	ended       chan struct{}            // closed when it has ended, and those that took over from it
	later       []int                    // processes that took over by a hot restart
	dial        func() (net.Conn, error) // how well-behaved clients come in
}

// pid is the process that serves.
func (p *process) pid() int {
	if n := len(p.later); n > 0 {
		return p.later[n-1]
	}
	return p.cmd.Process.Pid
}

// processOptions are what a process can be started with beside its configuration.
type processOptions struct {
	files int      // limit of open files; 0 leaves that of the system
	log   *os.File // where its log goes instead of the log book
	env   []string
	seams bool // the program is that with seams
}

// startProcess starts the program with a configuration and waits until it listens.
func (s *suite) startProcess(config string, o processOptions) (*process, error) {
	file, err := os.CreateTemp(s.dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.WriteString(config); err != nil {
		return nil, err
	}
	p := &process{config: file.Name(), log: new(logBook), ended: make(chan struct{})}
	binary := s.binary
	if o.seams {
		if binary, err = s.seamed(s.ctx); err != nil {
			return nil, err
		}
	}
	p.cmd = serveCommand(binary, file.Name(), o.files)
	p.cmd.Dir, p.cmd.Env = s.dir, append(os.Environ(), o.env...)
	dieWithParent(p.cmd)
	p.cmd.Stderr = p.log
	if o.log != nil {
		p.cmd.Stderr = o.log
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	found := loopbackAddress.FindAllString(line, 2)
	if len(found) != 2 {
		p.kill()
		return nil, fmt.Errorf("sabir did not start: %s%s", line, p.log.all())
	}
	p.addr, p.admin = found[0], found[1]
	p.dial = func() (net.Conn, error) { return dialPatiently(p.addr) }
	return p, nil
}

var loopbackAddress = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// serveCommand is the command line; a limit of open files needs a shell, which sets it for what it becomes.
func serveCommand(binary, config string, files int) *exec.Cmd {
	if files == 0 {
		return exec.Command(binary, "serve", "--config", config)
	}
	return exec.Command("/bin/sh", "-c", `ulimit -n "$1" && exec "$2" serve --config "$3"`, "sh", strconv.Itoa(files), binary, config)
}

// build makes the program that is attacked.
func build(ctx context.Context, root, dir string) (string, error) {
	binary := filepath.Join(dir, "sabir")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/sabir")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build sabir: %w\n%s", err, said)
	}
	return binary, nil
}

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends the process by force.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	for _, pid := range p.later {
		if later, err := os.FindProcess(pid); err == nil {
			_ = later.Kill()
		}
	}
	<-p.ended
}

// waitEnd waits for the process to end by itself.
func (p *process) waitEnd(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// metrics are the values of all metrics by name and labels, and their sums by name alone.
func (p *process) metrics() (map[string]float64, error) {
	c := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Get("http://" + p.admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New("/metrics: " + resp.Status)
	}
	all := map[string]float64{}
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		line := s.Text()
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}
		v, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			continue
		}
		name, _, labelled := strings.Cut(line[:at], "{")
		if all[name] += v; labelled {
			all[line[:at]] = v
		}
	}
	return all, nil
}

// state is what can be seen of a process from outside.
type state struct {
	resident, heap     int64
	files              int
	goroutines, stream int
}

func (p *process) state() (state, error) {
	m, err := p.metrics()
	if err != nil {
		return state{}, err
	}
	s := state{heap: int64(m["go_memstats_heap_inuse_bytes"]), goroutines: int(m["go_goroutines"]), stream: int(m["sabir_streams_open"])}
	if s.resident, err = resident(p.pid()); err != nil {
		return s, err
	}
	s.files, err = openFiles(p.pid())
	return s, err
}

// logBook keeps what a process logs.
type logBook struct {
	mu   sync.Mutex
	text []byte
}

// maxLog bounds a log book: what is beyond is cut off in front.
const maxLog = 32 << 20

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.text)+len(p) > maxLog {
		l.text = append([]byte{}, l.text[len(l.text)/2:]...)
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *logBook) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// reset forgets what was logged so far.
func (l *logBook) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = nil
}

func (l *logBook) contains(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Contains(l.text, []byte(text))
}

// line returns the last line about a request, "" if there is none.
func (l *logBook) line(requestID string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := bytes.LastIndex(l.text, []byte(`"request_id":"`+requestID+`"`))
	if at < 0 {
		return ""
	}
	start := bytes.LastIndexByte(l.text[:at], '\n') + 1
	line, _, whole := bytes.Cut(l.text[start:], []byte("\n"))
	if !whole {
		return ""
	}
	return string(line)
}
