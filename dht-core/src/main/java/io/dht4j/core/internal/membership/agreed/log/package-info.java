/** The topology log as nodes use it: its messages, its state machine, and commands appended at its leader. */
@NullMarked
package io.dht4j.core.internal.membership.agreed.log;

import org.jspecify.annotations.NullMarked;
