/** How every node gets the newest agreed state: fetched from others, stored, and installed as a view. */
@NullMarked
package io.dht4j.core.internal.membership.agreed.distribution;

import org.jspecify.annotations.NullMarked;
