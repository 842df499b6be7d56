package runstore

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Runs that end with their client are not stored. A request that cancels one may come to another replica, which asks all of them.

// cancelRequest is what a replica asks the others.
type cancelRequest struct {
	What []byte // which runs: the caller's matter
	To   string // the list that takes the answers
}

// answerTime is how long a replica waits for the answers of the others.
const answerTime = time.Second

// ErrSilent says that a replica has not answered in time: it may have had such runs, which go on then.
var ErrSilent = errors.New("another replica does not answer")

// Cancel asks all replicas to cancel runs, and reports whether one of them had any.
func (s *Store) Cancel(what []byte) (found bool, err error) {
	err = s.askAll(what, answerTime, func(had bool) (enough bool) {
		found = had
		return had
	})
	return found, err
}

// CancelAll does so, and returns when all replicas have answered, which they may do when the runs have ended, or after that time.
func (s *Store) CancelAll(what []byte, within time.Duration) error {
	return s.askAll(what, within, func(bool) bool { return false })
}

// leastWait is the least time that Redis can be made to wait for.
const leastWait = time.Second

// askAll asks all replicas to cancel runs, and says of each whether it had any, until that is enough.
func (s *Store) askAll(what []byte, within time.Duration, answered func(had bool) (enough bool)) error {
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout+within+leastWait)
	defer done()
	to := s.key("answers", s.name+"-"+newID())
	data, err := json.Marshal(cancelRequest{what, to})
	if err != nil {
		return err
	}
	asked, err := s.publish(ctx, data)
	s.report(err)
	for until := time.Now().Add(within); err == nil && asked > 0; asked-- {
		var answer []string
		if answer, err = s.cfg.Client.BLPop(ctx, max(time.Until(until), leastWait), to).Result(); errors.Is(err, redis.Nil) {
			return ErrSilent
		}
		if s.report(err); err == nil && answered(answer[1] == "1") {
			return nil
		}
	}
	return err
}

// publish sends a message to all replicas, and returns how many there are.
func (s *Store) publish(ctx context.Context, data []byte) (replicas int64, err error) {
	channel := s.key("cancel", "")
	cluster, is := s.cfg.Client.(*redis.ClusterClient)
	if !is {
		return s.cfg.Client.Publish(ctx, channel, data).Result()
	}
	var count atomic.Int64 // each server knows only of those that are connected to it
	err = cluster.ForEachShard(ctx, func(ctx context.Context, c *redis.Client) error {
		at, err := c.PubSubNumSub(ctx, channel).Result()
		count.Add(at[channel])
		return err
	})
	if err == nil {
		err = cluster.Publish(ctx, channel, data).Err()
	}
	return count.Load(), err
}

// listenTime is how long a replica waits at its start until others can ask it. Without Redis it starts all the same.
const listenTime = time.Second

// listen begins to answer what other replicas ask for, before the first run begins here: one that is not asked has not said that it has none.
func (s *Store) listen(ctx context.Context) {
	listening := make(chan struct{})
	go s.answerCancels(ctx, listening)
	select {
	case <-listening:
	case <-time.After(listenTime):
	}
}

// answerCancels cancels what other replicas ask for, until the store is closed. It closes ready when they can ask.
func (s *Store) answerCancels(ctx context.Context, ready chan<- struct{}) {
	sub := s.cfg.Client.Subscribe(ctx, s.key("cancel", ""))
	defer sub.Close()
	_, err := sub.ReceiveTimeout(ctx, s.cfg.Timeout)
	s.report(err)
	s.learnTime(ctx)
	close(ready)
	for messages := sub.Channel(); ; {
		select {
		case m, open := <-messages:
			if !open { // the client is closed
				return
			}
			go s.answerCancel(ctx, m.Payload) // it may wait for the runs to end
		case <-ctx.Done():
			return
		}
	}
}

func (s *Store) answerCancel(ctx context.Context, data string) {
	var asked cancelRequest
	if json.Unmarshal([]byte(data), &asked) != nil || asked.To == "" {
		return
	}
	answer := "0"
	if s.cfg.OnCancel(asked.What) {
		answer = "1"
	}
	pipe := s.cfg.Client.Pipeline()
	pipe.LPush(ctx, asked.To, answer)
	pipe.Expire(ctx, asked.To, 10*answerTime)
	if _, err := pipe.Exec(ctx); ctx.Err() == nil { // else this replica ends, and its client is closed
		s.report(err)
	}
}
