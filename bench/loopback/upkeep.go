package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// operator does to the proxy what operators do while streams run: the configuration changes, the metrics are read.
type operator struct {
	pid    int
	admin  string // host:port
	config string // file
	text   string // what stands in it
	failed error
	scrape int
}

// How often an operator comes. Both are far more often than in life.
const (
	reloadEvery = 500 * time.Millisecond
	scrapeEvery = 100 * time.Millisecond
)

// work goes on until ctx is done.
func (o *operator) work(ctx context.Context) {
	reload, scrape := time.NewTicker(reloadEvery), time.NewTicker(scrapeEvery)
	defer reload.Stop()
	defer scrape.Stop()
	for turn := 1; ctx.Err() == nil && o.failed == nil; {
		select {
		case <-ctx.Done():
		case <-reload.C:
			o.failed = o.reload(turn)
			turn++
		case <-scrape.C:
			if _, o.failed = o.metrics(ctx); ctx.Err() != nil {
				o.failed = nil // it was cut off by the end
			}
			o.scrape++
		}
	}
}

// reload changes a setting back and forth and tells the proxy.
func (o *operator) reload(turn int) error {
	text := o.text + "log: {level: " + []string{"warn", "error"}[turn%2] + "}\n"
	next := o.config + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, o.config); err != nil {
		return err
	}
	p, err := os.FindProcess(o.pid)
	if err != nil {
		return err
	}
	return p.Signal(syscall.SIGHUP)
}

func (o *operator) metrics(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.admin+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// reloads is how many reloads the proxy has counted, by result.
func (o *operator) reloads(ctx context.Context, result string) (int, error) {
	text, err := o.metrics(ctx)
	if err != nil {
		return 0, err
	}
	return counter(text, `sabir_config_reloads_total{result="`+result+`"}`)
}

// counter finds a counter in the text of a scrape.
func counter(text []byte, name string) (int, error) {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return strconv.Atoi(string(bytes.TrimSpace(rest)))
		}
	}
	return 0, fmt.Errorf("the metrics do not have %s", name)
}

// pacedUnderUpkeep measures paced streams while an operator works, and counts a refused reload as a fault.
func pacedUnderUpkeep(ctx context.Context, o *operator, measure func() sample) sample {
	working, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { o.work(working); close(done) }()
	s := measure()
	stop()
	<-done
	refused, err := o.reloads(ctx, "failed")
	if err == nil {
		s.Reloads, err = o.reloads(ctx, "ok")
	}
	s.Scrapes = o.scrape
	if err == nil {
		err = o.failed
	}
	if err == nil && (refused > 0 || s.Reloads == 0) {
		err = fmt.Errorf("%d reloads were refused, %d done", refused, s.Reloads)
	}
	if err != nil {
		s.Bad, s.Fault = s.Bad+1, "operator: "+err.Error()
	}
	return s
}
