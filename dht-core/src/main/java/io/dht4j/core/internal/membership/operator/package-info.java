/** What operators and applications see of an agreed cluster's membership, and the changes that they ask for. */
@NullMarked
package io.dht4j.core.internal.membership.operator;

import org.jspecify.annotations.NullMarked;
