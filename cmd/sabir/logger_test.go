package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

func TestLogger(t *testing.T) {
	var out strings.Builder
	log, level := newLogger(config.Log{Level: "warn", Format: "json"}, &out)
	log.Info("not yet")
	log.Warn("slow", zap.Duration("took", 1500*time.Millisecond))
	level.SetLevel(levelOf(config.Log{Level: "info"}))
	log.Info("now")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("want 2 lines:\n%s", &out)
	}
	var got struct {
		Level, Time, Msg string
		Took             float64
	}
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339Nano, got.Time); err != nil || got.Level != "warn" || got.Msg != "slow" || got.Took != 1.5 {
		t.Errorf("got %s (%v)", lines[0], err)
	}
}

// TestLoggerShows: what peers choose shows itself in a terminal, in place of doing something, and the fields of JSON mean what they meant.
func TestLoggerShows(t *testing.T) {
	const chosen = "a\x1b[2J\u009b2Jb\u2028\u202ec\x7f"
	for _, format := range []string{"json", "console"} {
		var out strings.Builder
		log, _ := newLogger(config.Log{Level: "info", Format: format}, &out)
		log.With(zap.String("thread", chosen)).Info("stream ended", zap.String("run", chosen))
		line, found := strings.CutSuffix(out.String(), "\n")
		if at := strings.IndexFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }); at >= 0 || !found {
			t.Errorf("%s: something else than text stands at byte %d of %q", format, at, line)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(line[strings.Index(line, "{"):]), &fields); err != nil || fields["thread"] != chosen || fields["run"] != chosen {
			t.Errorf("%s: %v, %q", format, err, fields)
		}
	}
}

func TestLoggerConsole(t *testing.T) {
	var out strings.Builder
	log, _ := newLogger(config.Log{Level: "debug", Format: "console"}, &out)
	log.Debug("slow", zap.Duration("took", 1500*time.Millisecond))
	if !regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3}\tDEBUG\tslow\t\{"took": "1\.5s"\}\n$`).MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
}

// TestErrorsShow: likewise an error, of which a server chooses a part.
func TestErrorsShow(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	defer ended.Wait()
	defer server.Close()
	ended.Go(func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 403 No\x1b[2J\u009b2J\r\nContent-Length: 0\r\n\r\n")
			_ = c.Close()
		}
	})
	got := sabir(t, "", "detect", "http://"+server.Addr().String()+"/run")
	got.want(t, exitFailed, "", `answered with status 403 No\u001b[2J\u009b2J`)
}
