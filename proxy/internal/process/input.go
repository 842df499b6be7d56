package process

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// input is stdin of an agent.
type input struct {
	file    *os.File
	headers bool          // messages have their length in front
	turn    chan struct{} // full while somebody writes
	err     error         // why nothing can be sent any more
}

func newInput(f *os.File) *input { return &input{file: f, turn: make(chan struct{}, 1)} }

func (in *input) send(lines []byte, until time.Time) error {
	wait := time.NewTimer(time.Until(until))
	defer wait.Stop()
	select {
	case in.turn <- struct{}{}:
		defer func() { <-in.turn }()
	case <-wait.C:
		return sendError(os.ErrDeadlineExceeded)
	}
	if in.err != nil {
		return in.err
	}
	return in.write(lines, until)
}

// write writes lines wholly or says why not. Behind a half line, another one would be garbage.
func (in *input) write(lines []byte, until time.Time) error {
	if !time.Now().Before(until) { // the zero time would mean no deadline
		return sendError(os.ErrDeadlineExceeded)
	}
	err := in.file.SetWriteDeadline(until)
	if err != nil {
		return sendError(err)
	}
	if in.headers {
		lines = withHeaders(lines)
	}
	n, err := in.file.Write(lines)
	if err == nil {
		return nil
	}
	err = sendError(err)
	if n > 0 {
		in.err = fmt.Errorf("stdin of the agent has ended within a line: %w", err)
	}
	return err
}

func sendError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the agent does not read its stdin: %w", os.ErrDeadlineExceeded)
	case errors.Is(err, os.ErrClosed):
		return fmt.Errorf("stdin of the agent is closed: %w", os.ErrClosed)
	}
	return fmt.Errorf("cannot write to stdin of the agent: %w", err)
}

// close also ends a write that blocks.
func (in *input) close() { _ = in.file.Close() }
