package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// maxRequest bounds the request that is read, in bytes.
const maxRequest = 256 << 20

// translateRequest writes the body of a client's request as an agent of another dialect wants it, and reports on standard
// error what that has no place for.
func translateRequest(cmd *cobra.Command, f *translateFlags, args []string) error {
	from, to, err := f.requestDialects()
	if err != nil {
		return usageError{err}
	}
	in, done, err := input(cmd.InOrStdin(), args)
	if err != nil {
		return err
	}
	defer done()
	body, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err == nil && len(body) > maxRequest {
		err = errors.New("the request is larger than 256 MiB")
	}
	if err != nil {
		return err
	}
	req := hub.Request{Unique: []byte("1"), Header: func(string) string { return "" }}
	if err := from.Requests.DecodeRequest(&req, body); err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	if len(req.Model) == 0 {
		req.Model = []byte(f.model)
	}
	var losses hub.Losses
	out, err := to.RequestWriter()(nil, &req, &losses)
	if err != nil {
		return fmt.Errorf("%s: %w", to.Name, err)
	}
	for _, name := range losses.Names {
		fmt.Fprintf(cmd.ErrOrStderr(), "lost: %s\n", name)
	}
	_, err = cmd.OutOrStdout().Write(append(out, '\n'))
	return err
}

// requestDialects are the dialects of the client and of the agent.
func (f *translateFlags) requestDialects() (from, to *hub.Dialect, err error) {
	var known catalog
	if problems := known.declareFiles(f.declare); len(problems) > 0 {
		return nil, nil, errors.Join(problems...)
	}
	if from, err = known.Lookup(f.from); err != nil {
		return nil, nil, err
	}
	if to, err = known.Lookup(f.to); err != nil {
		return nil, nil, err
	}
	if from.Messages == nil {
		reads := func(d *hub.Dialect) bool { return d.Messages != nil }
		err = fmt.Errorf("requests of %s are not read; those of %s are", from.Name, dialectNames(reads))
	}
	switch {
	case to.RequestWriter() != nil:
	case !slices.Contains(adapters.Names(), to.Name):
		err = errors.Join(err, fmt.Errorf("the description of %s does not say what a request is: give it the key request, a template of the body", to.Name))
	default:
		writes := func(d *hub.Dialect) bool { return d.RequestWriter() != nil }
		err = errors.Join(err, fmt.Errorf("requests of %s are not written; those of %s are", to.Name, dialectNames(writes)))
	}
	return from, to, err
}

// dialectNames lists the dialects of which something holds.
func dialectNames(holds func(*hub.Dialect) bool) string {
	var names []string
	for _, d := range adapters.All() {
		if holds(d) {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, ", ")
}
