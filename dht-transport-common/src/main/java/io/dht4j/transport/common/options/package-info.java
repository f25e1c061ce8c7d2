/**
 * The options that transports, public APIs and their clients share: small immutable groups, each of which declares,
 * checks and documents its own. Safe for use by any number of threads.
 */
@NullMarked
package io.dht4j.transport.common.options;

import org.jspecify.annotations.NullMarked;
