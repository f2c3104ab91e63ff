package io.penstock.key;

import io.penstock.quota.Account;

/**
 * Who is calling.
 *
 * @param spec the key, as it is now
 * @param account what it may spend
 */
public record Caller(KeySpec spec, Account account) {}
