package hub

// Hello is the least request that says something: one message of the user's. It is for people who try a route or an agent.
func Hello() *Request {
	return &Request{Messages: []Message{{Role: RoleUser, Parts: []Part{{Kind: PartText, Text: []byte("Hello")}}}}}
}

// Hello is the body of [Hello] in the dialect; nil where requests of the dialect are not written.
func (d *Dialect) Hello() []byte {
	write := d.RequestWriter()
	if write == nil {
		return nil
	}
	body, err := write(nil, Hello(), new(Losses))
	if err != nil {
		return nil
	}
	return body
}
