//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// asked reports whether the agent was asked more often than once for each run.
func (s *stage) asked(runs int64) error {
	if n := s.agent.runs.Load(); n != runs {
		return fmt.Errorf("the agent was asked %d times for %d runs", n, runs)
	}
	return nil
}

func cut(_ context.Context, s *stage) error {
	c, err := s.open(0, "cut", 10)
	if err != nil {
		return err
	}
	if err := c.back(1, 30); err != nil {
		return err
	}
	if err := c.back(2, 0); err != nil {
		return err
	}
	late, err := c.join(1, 0)
	return errors.Join(err, c.whole(), late.whole(), s.asked(1))
}

// eight lets clients of all dialects read one run at another replica, and compares that with what they get from the owner.
func eight(_ context.Context, s *stage) error {
	c, err := s.open(0, "eight", 5)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	bodies := make([][2]string, len(dialects))
	errs := make([]error, len(dialects))
	for i, dialect := range dialects {
		group.Go(func() {
			for j, at := range []int{0, 1} {
				var err error
				bodies[i][j], err = s.view(at, dialect, c.run)
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	group.Wait()
	for i, dialect := range dialects {
		if bodies[i][0] != bodies[i][1] || !strings.Contains(bodies[i][0], fmt.Sprintf("word%d ", words-1)) {
			errs[i] = errors.Join(errs[i], fmt.Errorf("%s: the owner says %d bytes, another replica %d", dialect, len(bodies[i][0]), len(bodies[i][1])))
		}
	}
	return errors.Join(errors.Join(errs...), s.asked(1))
}

// view is what a client of a dialect gets of a run.
func (s *stage) view(at int, dialect, run string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+s.addresses[at]+"/run", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer alice")
	req.Header.Set("X-Sabir-Run", run)
	req.Header.Set("X-Sabir-Dialect", dialect)
	resp, err := httpClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", dialect, resp.StatusCode)
	}
	return string(body), err
}

// during runs a client in the background, does something when it has so much, and waits for both.
func during(read func() error, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- read() }()
	err := do()
	return errors.Join(err, <-done)
}

// ignoreCut leaves out that a stream broke, where that is meant to happen.
func ignoreCut(err error) error {
	if errors.Is(err, errCut) {
		return nil
	}
	return err
}

func drained(_ context.Context, s *stage) error {
	c, err := s.open(0, "drained", 10)
	if err != nil {
		return err
	}
	err = during(func() error {
		err := c.back(0, 0)
		if !errors.Is(err, errCut) {
			return fmt.Errorf("the client was not cut: %w", err)
		}
		return nil
	}, func() error {
		time.Sleep(10 * pace)
		return s.signal(0, syscall.SIGTERM)
	})
	if err != nil {
		return err
	}
	if err := c.back(1, 0); err != nil {
		return err
	}
	return errors.Join(c.whole(), s.asked(1), s.wait(0))
}

func killed(_ context.Context, s *stage) error {
	c, err := s.open(0, "killed", 10)
	if err != nil {
		return err
	}
	other, err := c.join(1, 5)
	if err != nil {
		return err
	}
	err = during(func() error { return other.back(1, 0) }, func() error {
		time.Sleep(5 * pace)
		err := s.signal(0, syscall.SIGKILL)
		_ = s.wait(0)
		return err
	})
	if err := errors.Join(err, other.honest()); err != nil {
		return err
	}
	if err := c.back(2, 0); err != nil {
		return err
	}
	return errors.Join(c.honest(), s.asked(1))
}

func frozen(_ context.Context, s *stage) error {
	c, err := s.open(0, "frozen", 10)
	if err != nil {
		return err
	}
	err = during(func() error { return c.back(1, 0) }, func() error { return s.signal(0, syscall.SIGSTOP) })
	if err := errors.Join(err, c.honest(), s.signal(0, syscall.SIGCONT)); err != nil {
		return err
	}
	late, err := c.join(0, 0)
	return errors.Join(err, late.ended(), s.asked(1))
}

// ended reports whether a client was left without an end.
func (c *client) ended() error {
	if c.end == "" {
		return fmt.Errorf("%s: no end", c.name)
	}
	return nil
}

func redisFrozen(_ context.Context, s *stage) error {
	c, err := s.open(0, "frozen store", 10)
	if err != nil {
		return err
	}
	other, err := c.join(1, 5)
	if err != nil {
		return err
	}
	err = during(func() error {
		return during(func() error { return other.back(1, 0) }, func() error { return c.back(0, 0) })
	}, func() error {
		_ = s.redis[0].Process.Signal(syscall.SIGSTOP)
		time.Sleep(lease / 2)
		return s.redis[0].Process.Signal(syscall.SIGCONT)
	})
	return errors.Join(err, c.whole(), other.whole(), s.asked(1))
}

func redisEmpty(ctx context.Context, s *stage) error {
	c, err := s.open(0, "empty store", 10)
	if err != nil {
		return err
	}
	other, err := c.join(1, 5)
	if err != nil {
		return err
	}
	err = during(func() error { return c.back(0, 0) }, func() error {
		return s.restartRedis(ctx)
	})
	if err := errors.Join(err, c.whole()); err != nil {
		return err
	}
	// What the store has lost is not there: that is said, and nothing looks whole that is not.
	if err := other.back(2, 0); err == nil && strings.HasPrefix(other.end, "RUN_FINISHED") && other.whole() != nil {
		return fmt.Errorf("another client got %q and a good end", other.text.String())
	}
	return s.asked(1)
}

// rollingPace is how long after each other the runs begin: during all of the restarts.
const rollingPace = 14 * time.Millisecond

func rolling(ctx context.Context, s *stage) error {
	const runs = 300
	var group sync.WaitGroup
	errs := make([]error, runs)
	for i := range runs {
		group.Go(func() {
			time.Sleep(time.Duration(i) * rollingPace) // so that every replica has some when it is restarted
			c, err := s.openAnywhere(i, fmt.Sprintf("rolling %d", i))
			if errs[i] = ignoreCut(err); errs[i] == nil {
				errs[i] = errors.Join(c.insist(), c.whole())
			}
		})
	}
	time.Sleep(10 * pace)
	for i := range replicas {
		if err := errors.Join(s.signal(i, syscall.SIGTERM), s.wait(i), s.start(ctx, i)); err != nil {
			return err
		}
	}
	group.Wait()
	return errors.Join(errors.Join(errs...), s.asked(runs))
}
