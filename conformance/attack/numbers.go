package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// ending is how a stream of numbers ended for its client.
type ending string

const (
	endWhole   ending = "whole"   // every number once, in order, and a good end
	endHonest  ending = "honest"  // numbers in order, and then an error in the stream
	endRefused ending = "refused" // a status that is not 200
	endCut     ending = "cut"     // the connection broke: the client sees that it was not the end
	endLost    ending = "lost"    // numbers are missing, or it ends clean without an end
	endDoubled ending = "doubled" // a number came twice
	endHangs   ending = "hangs"   // it says nothing, and does not end
)

// numbers is what a client has received of an agent that counts.
type numbers struct {
	status   int
	code     string // of a refusal
	read     int    // numbers, in order
	finished bool
	end      ending        // "" until it is known
	why      string        // of an end that is not whole
	longest  time.Duration // between two numbers
	last     time.Time
}

// numbersQuiet is how long a stream of numbers may say nothing before it hangs.
const numbersQuiet = 2 * canaryPause

// readNumbers asks for a stream of numbers and reads it to its end. started is called with the first number.
func (r *rig) readNumbers(path string, s *script, started func(), fields ...string) *numbers {
	n := new(numbers)
	conn, err := r.process.dial()
	if err != nil {
		n.fails(err)
		return n
	}
	defer conn.Close()
	id := fmt.Sprintf("numbers-%d", requests.Add(1))
	_, _ = io.WriteString(conn, request("POST", path+"?script="+s.id, r.process.addr, id, "{}", fields...))
	_ = conn.SetReadDeadline(time.Now().Add(answerLimit))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		n.fails(err)
		return n
	}
	defer resp.Body.Close()
	if n.status = resp.StatusCode; n.status != http.StatusOK {
		n.end, n.code, n.why = endRefused, resp.Header.Get("X-Sabir-Error"), resp.Status
		return n
	}
	n.follow(conn, bufio.NewReader(resp.Body), started)
	return n
}

// follow reads records of AG-UI until there are no more.
func (n *numbers) follow(conn net.Conn, body *bufio.Reader, started func()) {
	for n.end == "" {
		_ = conn.SetReadDeadline(time.Now().Add(numbersQuiet))
		line, err := body.ReadBytes('\n')
		if err != nil {
			n.fails(err)
			return
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			n.take(data, started)
		}
	}
}

// take reads one record.
func (n *numbers) take(data []byte, started func()) {
	var ev struct{ Type, Delta string }
	if err := json.Unmarshal(data, &ev); err != nil {
		n.end, n.why = endLost, fmt.Sprintf("%v: %s", err, data)
	}
	switch ev.Type {
	case "TEXT_MESSAGE_CONTENT":
		n.number(ev.Delta)
		if n.read == 1 {
			started()
		}
	case "RUN_FINISHED":
		n.finished = true
	case "RUN_ERROR":
		n.end, n.why = endHonest, string(data)
	}
}

func (n *numbers) number(text string) {
	var got int
	_, err := fmt.Sscan(text, &got)
	switch {
	case err != nil || got > n.read:
		n.end, n.why = endLost, fmt.Sprintf("got %q, want %d", text, n.read)
	case got < n.read:
		n.end, n.why = endDoubled, fmt.Sprintf("got %q, want %d", text, n.read)
	case n.read > 0:
		n.longest = max(n.longest, time.Since(n.last))
	}
	n.read, n.last = n.read+1, time.Now()
}

// fails says how a stream ended that has no more to read.
func (n *numbers) fails(err error) {
	n.why = err.Error()
	switch {
	case errors.Is(err, io.EOF) && n.status != 0 && n.finished:
		n.end = endWhole
	case errors.Is(err, io.EOF) && n.status != 0:
		n.end, n.why = endLost, "it ends clean, without an end of the run"
	case isTimeout(err):
		n.end = endHangs
	default:
		n.end = endCut
	}
}
