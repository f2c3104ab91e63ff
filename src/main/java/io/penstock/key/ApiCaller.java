package io.penstock.key;

import io.penstock.quota.CallerAccount;

/**
 * Key and account of the client that sent a request.
 *
 * @param spec the present key
 * @param account its account
 */
public record ApiCaller(KeySpec spec, CallerAccount account) {}
