package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// departuresPath is where the simulated server tells when it lost its silent streams, and forgets it.
const departuresPath = "/departures"

// departures notes when silent connections ended, by the number of their stream.
type departures struct {
	mu sync.Mutex
	at map[int64]int64 // nanoseconds since the Unix epoch
}

// wait sends the beginning of a stream and waits, in silence, for the end of the connection.
func (d *departures) wait(conn net.Conn, sc *script, number int64) error {
	if err := writeAll(conn, [][]byte{sc.header, sc.deltas[0]}); err != nil {
		return err
	}
	var one [1]byte
	_, err := conn.Read(one[:])
	now := time.Now().UnixNano()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == nil {
		d.at = map[int64]int64{}
	}
	d.at[number] = now
	if err == nil {
		return io.ErrUnexpectedEOF // a client sends nothing within an answer
	}
	return err
}

func (d *departures) answer(conn net.Conn) error {
	d.mu.Lock()
	var lines []byte
	for number, at := range d.at {
		lines = fmt.Appendf(lines, "%d %d\n", number, at)
	}
	d.at = nil
	d.mu.Unlock()
	_, err := fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(lines), lines)
	return err
}

// leaving is how clients leave.
type leaving struct {
	single int           // that leave one after the other, while all others stay
	every  time.Duration // between two of those
	grace  time.Duration // for the last to be noticed
}

// opening bounds how many streams are opened at the same time; listeners drop connections that come too fast.
const opening = 100

// leave opens silent streams and lets the clients of some leave one by one, then all others at once. It tells how long
// after the client's end of the connection the server saw its own.
func leave(ctx context.Context, t target, upstream string, streams int, l leaving, m func() *meter, processors int) (s sample) {
	c := call{events: 2}
	clients, err := openSilent(ctx, t, c, streams)
	defer func() {
		for _, cl := range clients {
			cl.close()
		}
	}()
	if err != nil {
		s.Bad, s.Fault = 1, err.Error()
		return s
	}
	start := m()
	s.Resident = residentMB(t.pid)
	gone := make([]time.Time, streams)
	l.single = min(l.single, streams)
	for i := range l.single {
		sleep(ctx, l.every)
		gone[i] = time.Now()
		clients[i].close()
	}
	sleep(ctx, l.grace)
	single := noticed(ctx, upstream, gone)
	start.fill(&s, processors)
	for i := l.single; i < streams; i++ {
		gone[i] = time.Now()
		clients[i].close()
	}
	sleep(ctx, l.grace)
	rest := noticed(ctx, upstream, gone)
	s.Streams, s.Events = len(single)+len(rest), int64(l.single)
	s.P50, s.P99, s.Max = quantile(single, 0.5), quantile(single, 0.99), quantile(single, 1)
	s.Storm = quantile(rest, 0.99)
	if missing := streams - s.Streams; missing > 0 {
		s.Bad, s.Fault = missing, fmt.Sprintf("%d upstream connections were still open %v after their clients had left", missing, l.grace)
	}
	return s
}

// openSilent opens streams and waits until each has brought its beginning.
func openSilent(ctx context.Context, t target, c call, streams int) ([]*client, error) {
	clients := make([]*client, streams)
	failed := make([]error, streams)
	slots := make(chan struct{}, opening)
	var all sync.WaitGroup
	for i := range clients {
		clients[i] = newClient(t, rigTimeout)
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			one := c
			one.silent = int64(i) + 1
			failed[i] = clients[i].begin(ctx, one.query())
		})
	}
	all.Wait()
	for i, err := range failed {
		if err != nil {
			return clients, fmt.Errorf("silent stream %d: %w", i, err)
		}
	}
	return clients, nil
}

// begin asks for a stream and reads its first bytes.
func (c *client) begin(ctx context.Context, query string) error {
	resp, err := c.ask(ctx, query) //nolint:bodyclose // it would wait for the end; the connection is closed
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	var buf [1 << 10]byte
	_, err = resp.Body.Read(buf[:])
	return err
}

// noticed asks the server which of its connections have ended, and returns how long after their clients had left, in
// order. What an earlier call returned is left out.
func noticed(ctx context.Context, upstream string, gone []time.Time) (took []time.Duration) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+upstream+departuresPath, http.NoBody)
	if err != nil {
		return nil
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var number, at int64
		if n, _ := fmt.Sscan(lines.Text(), &number, &at); n == 2 && number > 0 && int(number) <= len(gone) && !gone[number-1].IsZero() {
			took = append(took, time.Unix(0, at).Sub(gone[number-1]))
		}
	}
	slices.Sort(took)
	return took
}
