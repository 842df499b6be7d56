package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

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

func TestLoggerConsole(t *testing.T) {
	var out strings.Builder
	log, _ := newLogger(config.Log{Level: "debug", Format: "console"}, &out)
	log.Debug("slow", zap.Duration("took", 1500*time.Millisecond))
	if !regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3}\tDEBUG\tslow\t\{"took": "1\.5s"\}\n$`).MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
}
