/**
 * The commands that change the agreed state, and the rules by which
 * {@link io.dht4j.core.internal.membership.command.StateMachine} accepts or refuses them.
 */
@NullMarked
package io.dht4j.core.internal.membership.command;

import org.jspecify.annotations.NullMarked;
