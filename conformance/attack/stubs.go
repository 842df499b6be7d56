package main

func clientAttacks() []*attack    { return nil }
func smugglingAttacks() []*attack { return nil }
func originAttacks() []*attack    { return nil }
func isolationAttacks() []*attack { return nil }
func processAttacks() []*attack   { return nil }
