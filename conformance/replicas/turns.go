//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// talker is a client that sends only what is new, so that replicas have to know its conversation.
type talker struct {
	stage *stage
	name  string
	open  func(t *talker, text string) (path, body string)
	last  string   // by which the next turn goes on
	turns []string // what it said in those that ended
}

// talkers are one whose conversation has a name, and one that goes on from answers.
func (s *stage) talkers() []*talker {
	return []*talker{
		{stage: s, name: "LangGraph", open: func(t *talker, text string) (path, body string) {
			return "/graph/threads/talk/runs/stream", fmt.Sprintf(`{"assistant_id":"agent","input":{"messages":[{"type":"human","content":%q}]},"stream_mode":["messages-tuple"],"if_not_exists":"create"}`, text)
		}},
		{stage: s, name: "Responses", open: func(t *talker, text string) (path, body string) {
			previous := ""
			if t.last != "" {
				previous = fmt.Sprintf(`"previous_response_id":%q,`, t.last)
			}
			return "/openai/responses", fmt.Sprintf(`{"model":"m","stream":true,%s"input":%q}`, previous, text)
		}},
	}
}

// errRefused says that a turn was refused with a status that says to try again.
var errRefused = errors.New("the turn is refused for now")

// begin begins a turn at a replica.
func (t *talker) begin(at int, text string) (*http.Response, error) {
	path, body := t.open(t, t.name+" "+text)
	resp, err := t.stage.call(at, http.MethodPost, path, body)
	if err != nil {
		return nil, fmt.Errorf("%s, %q: %w", t.name, text, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		if err = errRefused; resp.StatusCode != http.StatusConflict {
			err = errors.New("the turn is refused")
		}
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return nil, fmt.Errorf("%s, %q: %w: status %d: %s", t.name, text, err, resp.StatusCode, said)
	}
	return resp, nil
}

// say holds a turn at a replica, and looks whether the agent saw the whole conversation.
func (t *talker) say(at int, text string) error {
	if err := t.turn(at, text); err != nil {
		return err
	}
	t.turns = append(t.turns, text)
	return t.seen()
}

func (t *talker) turn(at int, text string) error {
	resp, err := t.begin(at, text)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(said), fmt.Sprintf("word%d ", words-1)) {
		return fmt.Errorf("%s, %q: %w: %.200s", t.name, text, err, said)
	}
	if _, id, ok := strings.Cut(string(said), `"response":{"id":"`); ok {
		t.last, _, _ = strings.Cut(id, `"`)
	}
	return nil
}

// half begins a turn at a replica, and reads some of it.
func (t *talker) half(at int, text string) (resp *http.Response, had string, err error) {
	if resp, err = t.begin(at, text); err != nil {
		return nil, "", err
	}
	for br := bufio.NewReader(resp.Body); ; {
		line, err := br.ReadString('\n')
		if had += line; strings.Contains(line, "word9 ") || err != nil {
			return resp, had, err
		}
	}
}

// halves begins turns of all talkers at a replica, whose streams stay open until they are read to their ends, whatever those are.
func halves(of []*talker, at int, text string) (finish func(), err error) {
	open := make(chan *http.Response, len(of))
	err = all(of, func(t *talker) error {
		resp, _, err := t.half(at, text) //nolint:bodyclose // finish closes it
		if err == nil {
			open <- resp
		}
		return err
	})
	close(open)
	return func() {
		for resp := range open {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}, err
}

// insist tries a turn again that is refused, until a lease has expired at the latest.
func insist(turn func() error) (err error) {
	for end := time.Now().Add(5 * lease); ; time.Sleep(lease / 20) {
		if err = turn(); !errors.Is(err, errRefused) || time.Now().After(end) {
			return err
		}
	}
}

// seen reports what is wrong with the conversation that the agent saw in the last turn.
func (t *talker) seen() error {
	var want []string
	for i, turn := range t.turns {
		if i > 0 {
			want = append(want, "assistant "+text())
		}
		want = append(want, "user "+t.name+" "+turn)
	}
	if got := t.stage.agent.seen(want[len(want)-1]); !slices.Equal(got, want) {
		return fmt.Errorf("%s: the agent saw %.100q, want %.100q", t.name, got, want)
	}
	return nil
}

// remember keeps the messages of a request by the last of them.
func (a *agent) remember(data []byte) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	_ = json.Unmarshal(data, &body) // the messages of other trials have other forms
	var said []string
	for _, m := range body.Messages {
		said = append(said, m.Role+" "+m.Content)
	}
	if len(said) > 0 {
		a.asks.Store(said[len(said)-1], said)
	}
}

// seen are the messages of the request that ended with one.
func (a *agent) seen(last string) []string {
	all, _ := a.asks.Load(last)
	said, _ := all.([]string)
	return said
}

// call asks a replica for something.
func (s *stage) call(at int, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequest(method, "http://"+s.addresses[at]+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer alice")
	return httpClient.Do(req)
}

// all lets all talkers do something.
func all(of []*talker, do func(t *talker) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(of))
	for i, t := range of {
		group.Go(func() { errs[i] = do(t) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func (s *stage) kill(i int) error {
	err := s.signal(i, syscall.SIGKILL)
	_ = s.wait(i)
	return err
}

// talked lets conversations go from replica to replica, one of which is killed between turns, and one during a turn.
func talked(ctx context.Context, s *stage) error {
	both := s.talkers()
	for at, text := range []string{"one", "two"} {
		if err := all(both, func(t *talker) error { return t.say(at, text) }); err != nil {
			return err
		}
	}
	if err := errors.Join(s.kill(0), all(both, func(t *talker) error { return t.say(2, "three") })); err != nil {
		return err
	}
	finish, err := halves(both, 1, "cut")
	err = errors.Join(err, s.kill(1))
	finish()
	if err = errors.Join(err, all(both, func(t *talker) error { return insist(func() error { return t.say(2, "four") }) })); err != nil {
		return err
	}
	err = errors.Join(s.start(ctx, 0), s.start(ctx, 1))
	for at, text := range []string{"five", "six"} {
		err = errors.Join(err, all(both, func(t *talker) error { return t.say(at, text) }))
	}
	return errors.Join(err, s.asked(int64(len(both)*(len(both[0].turns)+1))))
}

// overtaken freezes a replica during turns until others have gone on with the conversations. When it wakes, its turns change nothing.
func overtaken(_ context.Context, s *stage) error {
	both := s.talkers()
	if err := all(both, func(t *talker) error { return t.say(0, "one") }); err != nil {
		return err
	}
	finish, err := halves(both, 0, "late")
	err = errors.Join(err, s.signal(0, syscall.SIGSTOP), all(both, func(t *talker) error { return insist(func() error { return t.say(1, "two") }) }), s.signal(0, syscall.SIGCONT))
	if finish(); err != nil {
		return err
	}
	for at, text := range []string{"three", "four", "five"} {
		err = errors.Join(err, all(both, func(t *talker) error { return t.say(at, text) }))
	}
	return err
}

// cancelled ends a run at another replica than the one that it goes on at, and goes on with its conversation at a third.
func cancelled(_ context.Context, s *stage) error {
	t := s.talkers()[0]
	if err := t.say(0, "one"); err != nil {
		return err
	}
	resp, had, err := t.half(0, "stopped")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, id, _ := strings.Cut(had, `"run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	answer, err := s.call(1, http.MethodPost, "/graph/threads/talk/runs/"+id+"/cancel", "")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	if answer.StatusCode >= 300 {
		return fmt.Errorf("the cancel has status %d: %s", answer.StatusCode, said)
	}
	rest, err := io.ReadAll(resp.Body)
	if err != nil || strings.Contains(string(rest), fmt.Sprintf("word%d ", words-1)) {
		return fmt.Errorf("the run was not ended: %w: %s", err, rest)
	}
	for end := time.Now().Add(5 * time.Second); s.agent.left.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("the agent was not let go")
		}
	}
	if err = insist(func() error { return t.turn(2, "two") }); err != nil {
		return err
	}
	// What was said until then stays.
	saw := s.agent.seen("user " + t.name + " two")
	if len(saw) != 5 || saw[1] != "assistant "+text() || saw[2] != "user "+t.name+" stopped" || !strings.HasPrefix("assistant "+text(), saw[3]) {
		return fmt.Errorf("the agent saw %.100q", saw)
	}
	return s.asked(3)
}
