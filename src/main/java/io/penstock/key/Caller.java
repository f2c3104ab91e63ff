package io.penstock.key;

import io.penstock.quota.Account;

/**
 * Key and account of the client that sent a request.
 *
 * @param spec the present key
 * @param account its account
 */
public record Caller(KeySpec spec, Account account) {}
