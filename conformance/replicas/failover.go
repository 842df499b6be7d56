//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// promoted kills the first server while a run goes on, and lets another take its place. The client of the run notices nothing. One at
// another replica has all of it, or an honest end where the server took with it what it had not passed on.
func promoted(ctx context.Context, s *stage) error {
	if err := s.goesOn("before"); err != nil {
		return err
	}
	c, err := s.open(0, "promoted", 10)
	if err != nil {
		return err
	}
	other, err := c.join(1, 5)
	if err != nil {
		return err
	}
	reads := make(chan error, 1)
	go func() { reads <- other.back(1, 0) }()
	err = during(func() error { return c.back(0, 0) }, s.redis[0].Process.Kill)
	if err = errors.Join(err, c.whole(), <-reads); err != nil {
		return err
	}
	if other.whole() != nil {
		err = other.honest()
	}
	err = errors.Join(err, s.settled(), s.goesOn("after"))
	s.agent.runs.Store(0)
	return errors.Join(err, talked(ctx, s))
}

// settled waits until runs that begin can be read at all replicas, several in a row: a cluster holds each at another server.
func (s *stage) settled() (err error) {
	inRow := 0
	for end := time.Now().Add(30 * time.Second); inRow < 10 && time.Now().Before(end); time.Sleep(lease / 20) {
		c, failed := s.open(inRow%replicas, "settled", 1)
		for at := range replicas {
			if failed == nil {
				_, failed = c.join(at, 1)
			}
		}
		if err = failed; err != nil {
			inRow = -1
		}
		inRow++
	}
	return err
}

// goesOn reads a run at all replicas, one after the other.
func (s *stage) goesOn(name string) error {
	c, err := s.open(0, name, 10)
	if err != nil {
		return err
	}
	late, err := c.join(1, 0)
	return errors.Join(err, c.back(1, 20), c.back(2, 0), c.whole(), late.whole())
}

// full takes all memory from Redis while a run goes on. The client of that run and of one that begins then notice nothing; elsewhere
// clients learn that the store cannot say more. When it has memory again, both runs are there.
func full(ctx context.Context, s *stage) error {
	memory := func(bytes string) error {
		_, err := ask(ctx, s.redisPort, "config", "set", "maxmemory", bytes)
		return err
	}
	c, err := s.open(0, "filled", 10)
	if err != nil {
		return err
	}
	other, err := c.join(1, 5)
	if err = errors.Join(err, memory("1")); err != nil {
		return err
	}
	time.Sleep(lease) // until all replicas have noticed
	late, err := s.open(0, "late", 0)
	if err = errors.Join(err, late.whole(), c.back(0, 0), c.whole()); err != nil {
		return err
	}
	if _, err := late.join(2, 0); err == nil || !strings.Contains(err.Error(), "store_unavailable") {
		return fmt.Errorf("a run that the store had no room for: %w", err)
	}
	if err = errors.Join(memory("0"), other.back(1, 0), other.whole(), s.settled()); err != nil {
		return err
	}
	there, err := late.join(2, 0)
	return errors.Join(err, there.whole(), s.loggedOnce("OOM "))
}

// loggedOnce reports whether the replicas logged a fault again and again.
func (s *stage) loggedOnce(text string) error {
	for i := range replicas {
		log, err := os.ReadFile(s.log(i))
		if err != nil {
			return err
		}
		if n := strings.Count(string(log), text); n == 0 || n > 2 { // the stores of runs and of conversations
			return fmt.Errorf("replica %d: %d lines say %q", i, n, text)
		}
	}
	return nil
}
