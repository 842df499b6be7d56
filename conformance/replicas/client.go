//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client is a client of AG-UI that comes back until its run has ended.
type client struct {
	stage *stage
	name  string
	run   string // by which others come to it
	last  string // the id of the last event
	text  strings.Builder
	end   string // the event that ended the run, "" for none
}

var httpClient = &http.Client{Timeout: time.Minute}

// open begins a run at a replica, and leaves it after so many words; 0 stays to the end.
func (s *stage) open(at int, name string, leave int) (*client, error) {
	c := &client{stage: s, name: name}
	body := fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"u1","role":"user","content":"hi"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, name, name)
	return c, c.ask(at, "POST", body, "", "", leave)
}

// openAnywhere begins a run at the first replica, from one on, that does not refuse it.
func (s *stage) openAnywhere(from int, name string) (c *client, err error) {
	for try := range 100 {
		if c, err = s.open((from+try)%replicas, name, 0); err == nil || errors.Is(err, errCut) {
			return c, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

// back comes back to the run at a replica.
func (c *client) back(at, leave int) error {
	return c.ask(at, "GET", "", "Last-Event-ID", c.last, leave)
}

// join comes to the run of another client, from its beginning.
func (c *client) join(at, leave int) (*client, error) {
	other := &client{stage: c.stage, name: c.name + " joined", run: c.run}
	return other, other.ask(at, "GET", "", "X-Sabir-Run", c.run, leave)
}

func (c *client) ask(at int, method, body, field, value string, leave int) error {
	req, err := http.NewRequest(method, "http://"+c.stage.addresses[at]+"/run", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer alice")
	req.Header.Set("X-Sabir-Dialect", "agui")
	if field != "" {
		req.Header.Set(field, value)
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("%s: status %d: %s", c.name, resp.StatusCode, said)
	}
	c.run = resp.Header.Get("X-Sabir-Run")
	return c.read(resp.Body, leave)
}

// errCut says that a stream broke before its run had ended.
var errCut = errors.New("the stream broke")

func (c *client) read(body io.Reader, leave int) error {
	id := ""
	for br := bufio.NewReader(body); ; {
		line, err := br.ReadString('\n')
		switch {
		case err != nil && c.end == "":
			return fmt.Errorf("%s: %w: %w", c.name, errCut, err)
		case err != nil:
			return nil //nolint:nilerr // it ends behind the run
		case strings.HasPrefix(line, "id: "):
			id = strings.TrimSpace(line[len("id: "):])
		case strings.HasPrefix(line, "data: "):
			c.event(line[len("data: "):])
			c.last = id
		}
		if leave > 0 && strings.Count(c.text.String(), " ") >= leave {
			return nil
		}
	}
}

func (c *client) event(data string) {
	var ev struct{ Type, Delta, Code, Message string }
	_ = json.Unmarshal([]byte(data), &ev)
	switch ev.Type {
	case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK":
		c.text.WriteString(ev.Delta)
	case "RUN_FINISHED", "RUN_ERROR":
		c.end = strings.TrimSpace(ev.Type + " " + ev.Code)
	}
}

// whole reports what is wrong with a client that should have everything.
func (c *client) whole() error {
	if c.text.String() != text() || c.end != "RUN_FINISHED" {
		return fmt.Errorf("%s: ended %q with %d of %d words: %.200s", c.name, c.end, strings.Count(c.text.String(), " "), words, c.text.String())
	}
	return nil
}

// honest reports what is wrong with a client that should have a beginning and an error.
func (c *client) honest() error {
	if said := c.text.String(); !strings.HasPrefix(text(), said) || said == "" || !strings.HasPrefix(c.end, "RUN_ERROR") {
		return fmt.Errorf("%s: ended %q with %q", c.name, c.end, said)
	}
	return nil
}

// insist comes back until the run has ended, at one replica after the other.
func (c *client) insist() error {
	var last error
	for try := range 200 {
		if c.end != "" {
			return nil
		}
		if last = c.back(try%replicas, 0); last != nil && !errors.Is(last, errCut) {
			time.Sleep(50 * time.Millisecond)
		}
	}
	return fmt.Errorf("%s: gave up: %w", c.name, last)
}
